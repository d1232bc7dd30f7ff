import type { ArmTotals } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import { addArms, emptyArm } from './figures.ts'
import { WINDOW_MS_MAX } from './triggers.ts'

/** Searches with a change and, of the same time and queries, those without it. */
export interface Arms {
  with: ArmTotals
  without: ArmTotals
}

export type ArmName = keyof Arms

/** Figures of one adaptation: in all, and by the minute as far back as a trigger may look. */
export interface Minutes {
  /** To count into; it is written with the next save. */
  totals: () => Arms
  minute: (timeMs: number) => Arms
  /** Sum of the minutes from that of `sinceMs` on, without those that had not ended at `endedMs`. */
  since: (sinceMs: number, endedMs?: number) => Arms
  load: () => void
  /** Inside a transaction; forgets what is too old by the newest minute counted. */
  save: () => void
}

const MINUTE_MS = 60_000
/** Few enough at both ends of a window, and few blocks in a day. */
const BLOCK_MINUTES = 20
/** Minutes that begin so much later than now were counted while the clock was ahead. */
export const YOUNGEST_MS = 2 * MINUTE_MS
/** Key of the totals: no minute of ours lies there. */
const TOTALS = 0

/** Some minutes, and their sum once it was asked for: triggers may look at those of a day, each second. */
interface Block {
  minutes: Map<number, Arms>
  sum: Arms | undefined
}

export function emptyArms(): Arms {
  return { with: emptyArm(), without: emptyArm() }
}

export function openMinutes(store: Store, adaptationId: string): Minutes {
  const { adaptationFigures } = store.tables
  const blocks = new Map<number, Block>()
  const changed = new Set<number>()
  let totals = emptyArms()

  function blockOf(minute: number): Block {
    const at = Math.floor(minute / BLOCK_MINUTES)
    const block = blocks.get(at) ?? { minutes: new Map(), sum: undefined }
    blocks.set(at, block)
    return block
  }
  function find(minute: number): Arms | undefined {
    if (minute === TOTALS) return totals
    return blocks.get(Math.floor(minute / BLOCK_MINUTES))?.minutes.get(minute)
  }
  function put(minute: number, arms: Arms): Arms {
    if (minute === TOTALS) totals = arms
    else blockOf(minute).minutes.set(minute, arms)
    return arms
  }
  function armsOf(minute: number): Arms {
    changed.add(minute)
    if (minute === TOTALS) return totals
    const block = blockOf(minute)
    block.sum = undefined
    return block.minutes.get(minute) ?? put(minute, emptyArms())
  }
  function load(): void {
    totals = emptyArms()
    blocks.clear()
    changed.clear()
    for (const { key, value } of adaptationFigures.range(rangeOf(adaptationId, TOTALS)))
      put(key[1], wholeArms(value))
  }
  function forgetOld(): void {
    const oldest = Math.max(TOTALS, ...changed) - WINDOW_MS_MAX / MINUTE_MS
    for (const [at, block] of blocks) {
      if (at * BLOCK_MINUTES >= oldest) continue
      block.sum = undefined
      for (const minute of block.minutes.keys())
        if (minute < oldest) {
          block.minutes.delete(minute)
          changed.add(minute)
        }
      if (block.minutes.size === 0) blocks.delete(at)
    }
  }
  load()
  return {
    totals: () => armsOf(TOTALS),
    minute: (timeMs) => armsOf(Math.max(1, Math.floor(timeMs / MINUTE_MS))),
    since: (sinceMs, endedMs = Infinity) => {
      const first = Math.max(1, Math.floor(sinceMs / MINUTE_MS))
      return addAll(armsBetween(blocks, first, Math.floor(endedMs / MINUTE_MS)))
    },
    load,
    save: () => {
      forgetOld()
      for (const minute of changed) {
        const arms = find(minute)
        if (arms === undefined) adaptationFigures.remove([adaptationId, minute])
        else adaptationFigures.put([adaptationId, minute], arms)
      }
      changed.clear()
    },
  }
}

/** What was counted from one minute on, before another: of blocks that lie between them the sum. */
function armsBetween(blocks: ReadonlyMap<number, Block>, first: number, end: number): Arms[] {
  const found: Arms[] = []
  for (const [at, block] of blocks) {
    const from = at * BLOCK_MINUTES
    const to = from + BLOCK_MINUTES
    if (to <= first || from >= end) continue
    if (from >= first && to <= end) {
      block.sum ??= addAll([...block.minutes.values()])
      found.push(block.sum)
    } else
      for (const [minute, arms] of block.minutes)
        if (minute >= first && minute < end) found.push(arms)
  }
  return found
}

function addAll(arms: readonly Arms[]): Arms {
  return {
    with: addArms(arms.map((each) => each.with)),
    without: addArms(arms.map((each) => each.without)),
  }
}

/** Totals of an adaptation that is not followed any more. */
export function readTotals(store: Store, adaptationId: string): Arms {
  const row = store.tables.adaptationFigures.get([adaptationId, TOTALS])
  return row === undefined ? emptyArms() : wholeArms(row)
}

/** What a row of an earlier version did not count begins at 0: added to nothing, it would be no number for good. */
function wholeArms(row: Arms): Arms {
  return { with: { ...emptyArm(), ...row.with }, without: { ...emptyArm(), ...row.without } }
}

/** Inside a transaction: removes some minutes, but not the totals; returns how many. */
export function removeMinutesWithin(store: Store, adaptationId: string, limit: number): number {
  const { adaptationFigures } = store.tables
  const keys = [...adaptationFigures.keys({ ...rangeOf(adaptationId, TOTALS + 1), limit })]
  adaptationFigures.removeAll(keys)
  return keys.length
}

/** Inside a transaction: no figures at all, not even totals. */
export function resetMinutesWithin({ tables }: Store, adaptationId: string): void {
  tables.adaptationFigures.removeAll([
    ...tables.adaptationFigures.keys(rangeOf(adaptationId, TOTALS)),
  ])
}

function rangeOf(adaptationId: string, first: number) {
  return {
    start: [adaptationId, first] as [string, number],
    end: [adaptationId, Number.MAX_SAFE_INTEGER] as [string, number],
  }
}
