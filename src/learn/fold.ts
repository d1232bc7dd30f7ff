import { performance } from 'node:perf_hooks'
import type { Store } from '../store/store.ts'
import type { Consumer, ConsumerGroup, Fact } from './facts.ts'

/**
 * Where the consumers are in the journal. Each group of them has a place on the disk, written in one transaction with
 * its rows; in memory all are at the same place. After a crash each group takes again what it had not saved.
 */
export interface Fold {
  /** Sequence of the last entry that every consumer has taken. */
  taken: () => number
  /** The same of those without a group, on the disk. */
  saved: () => number
  take: (fact: Fact) => void
  /** All consumers have taken everything up to here. */
  advance: (sequence: number) => void
  /** Whether any group has rows to save now; `all` for every group that is behind. */
  isDue: (all: boolean) => boolean
  /** Inside a transaction: saves what is due; call `settle` when it is on the disk. */
  save: (all: boolean) => void
  settle: () => void
  /** Shows searches what was taken: of consumers without a group only what is on the disk. */
  publish: () => void
  /** Back to what is on the disk. */
  load: () => void
  /** Inside a transaction: what is folded anew is saved up to here. */
  moveTo: (sequence: number, consumers: readonly Consumer[]) => void
}

/**
 * Consumers that are saved together. The click memory saves mostly what is new, what each session looked at; patterns
 * and reports save the same rows over and over while a period lasts.
 */
export const GROUPS = {
  memory: { name: 'click memory', saveMs: 1000 },
  reports: { name: 'reports', saveMs: 2000 },
  patterns: { name: 'patterns', saveMs: 5000 },
} as const satisfies Record<string, ConsumerGroup>

/** Where consumers without a group keep their place; groups have theirs beside it. */
const PLACE = 'learned'
/** These are saved as soon as anything was told; searches alone may wait so long, because each save is a commit. */
const PROMPT_MS = 500
/** How far learning anew is; while there is such a mark, what is on the disk is not whole. */
export const RELEARNING = 'relearning'

export function isFoldedAnew({ tables }: Store): boolean {
  return tables.meta.get(RELEARNING) !== undefined
}

interface Group {
  mark: string
  saveMs: number
  consumers: Consumer[]
  /** Its place on the disk. */
  saved: number
  savedMs: number
}

export function openFold(store: Store, consumers: readonly Consumer[]): Fold {
  const { meta } = store.tables
  const shared = [...new Set(consumers.map(({ group }) => group))].filter(
    (group) => group !== undefined,
  )
  const newGroup = (own?: ConsumerGroup): Group => ({
    mark: own === undefined ? PLACE : `${PLACE}/${own.name}`,
    saveMs: own?.saveMs ?? PROMPT_MS,
    consumers: consumers.filter(({ group }) => group === own),
    ...{ saved: 0, savedMs: 0 },
  })
  const prompt = newGroup()
  const groups = [prompt, ...shared.map(newGroup)]
  let taken = 0
  /** Something was taken that is more than what a search showed. */
  let isTold = false
  let saving: Group[] = []

  function load(): void {
    const place = (meta.get(PLACE) as number | undefined) ?? 0
    for (const group of groups) group.saved = (meta.get(group.mark) as number | undefined) ?? place
    taken = Math.min(...groups.map(({ saved }) => saved))
    for (const consumer of consumers) consumer.load()
  }
  /** Groups take turns, so that no slice has to save them all. */
  function due(all: boolean): Group[] {
    const behind = groups.filter(({ saved }) => saved < taken)
    const over = behind.filter(({ savedMs, saveMs }) => performance.now() - savedMs >= saveMs)
    const [longest] = over.filter((group) => group !== prompt).sort((a, b) => a.savedMs - b.savedMs)
    const isPromptDue = isTold || over.includes(prompt)
    return behind.filter((group) => all || (group === prompt ? isPromptDue : group === longest))
  }
  return {
    taken: () => taken,
    saved: () => prompt.saved,
    take: (fact) => {
      isTold ||= fact.kind !== 'search'
      for (const group of groups)
        if (fact.sequence > group.saved) for (const consumer of group.consumers) consumer.take(fact)
    },
    advance: (sequence) => {
      taken = Math.max(taken, sequence)
    },
    isDue: (all) => due(all).length > 0,
    save: (all) => {
      saving = due(all)
      for (const group of saving) {
        for (const consumer of group.consumers) consumer.save()
        meta.put(group.mark, taken)
      }
      // A group without a place would be taken to be where the others are.
      for (const { mark, saved } of groups) if (meta.get(mark) === undefined) meta.put(mark, saved)
    },
    settle: () => {
      if (saving.includes(prompt)) isTold = false
      for (const group of saving) {
        group.saved = taken
        group.savedMs = performance.now()
      }
      saving = []
    },
    publish: () => {
      for (const group of groups)
        if (group !== prompt || group.saved === taken)
          for (const consumer of group.consumers) consumer.publish?.()
    },
    load,
    moveTo: (sequence, anew) => {
      for (const group of groups) {
        if (!group.consumers.every((consumer) => anew.includes(consumer))) continue
        group.saved = sequence
        meta.put(group.mark, sequence)
      }
      taken = Math.min(...groups.map(({ saved }) => saved))
    },
  }
}
