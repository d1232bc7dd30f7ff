import { ServiceError, serviceError } from '../../errors.ts'
import type { VersionName } from '../../schema/model.ts'
import type { Pool } from '../../threads/pool.ts'
import type { ServedModel } from '../plan/ranking.ts'
import { nameOf } from './versions.ts'

/** The models that the core has loaded, by `id@version`. */
export interface Serving {
  /** A handle that no model has yet. */
  handle: () => number
  /** Loads a version unless it is; throws MODEL_NOT_SERVABLE when it can't rank. */
  load: (name: VersionName) => Promise<ServedModel>
  /** The version if it is loaded; if it is not, it will be soon. */
  want: (name: VersionName) => ServedModel | undefined
  /** One that was loaded, as it is now; undefined when it is no more. */
  stillServed: (model: ServedModel) => ServedModel | undefined
  /** These stay loaded, whatever else is asked for. */
  pin: (names: string[]) => void
  /** Handles that are free to be dropped; each is told once. */
  dropped: () => number[]
  figures: () => { loaded: string[]; failed: { model: string; reason: string }[] }
  /** What is not loaded when the threads end is no failure. */
  close: () => void
}

/** Models loaded at the same time; the least recently used goes first. */
const LOADED_MAX = 32
/** A version that would not load is not tried again before this much time is over. */
const RETRY_MS = 60_000

interface Slot {
  name: string
  loading: Promise<ServedModel>
  served?: ServedModel
  failure?: { reason: string; timeMs: number }
}

export interface ServingParts {
  pool: Pick<Pool, 'run'>
  dataDir: string
  clock: () => number
  /** How many hits a version may rank, if it has its own limit. */
  depthOf: (name: VersionName) => number | undefined
  /** A version that could not be loaded although it was stored as servable. */
  onFailure: (name: VersionName, reason: string) => void
}

export function openServing(parts: ServingParts): Serving {
  const { clock } = parts
  /** Least recently used first. */
  const slots = new Map<string, Slot>()
  let pinned = new Set<string>()
  let handles = 0
  let closed = false
  let unwanted: number[] = []

  const handle = () => {
    handles += 1
    return handles
  }
  function dropped(): number[] {
    const told = unwanted
    unwanted = []
    return told
  }
  function makeRoom(): void {
    for (const [name, { served, failure }] of slots) {
      if (slots.size <= LOADED_MAX) return
      if (pinned.has(name) || (served === undefined && failure === undefined)) continue
      slots.delete(name)
      if (served !== undefined) unwanted.push(served.handle)
    }
  }
  function begin(of: VersionName, before?: Slot['failure']): Slot {
    const depth = parts.depthOf(of)
    const named = { name: nameOf(of), handle: handle() }
    const served: ServedModel = depth === undefined ? named : { ...named, depth }
    const slot: Slot = { name: served.name, loading: loadAs(parts, served, of, dropped()) }
    slots.set(slot.name, slot)
    slot.loading.then(
      () => {
        slot.served = served
      },
      (cause: unknown) => {
        const reason = cause instanceof ServiceError ? cause.message : 'It could not be loaded.'
        slot.failure = { reason, timeMs: clock() }
        // Said once, however often it is tried.
        if (!closed && before?.reason !== reason) parts.onFailure(of, reason)
      },
    )
    makeRoom()
    return slot
  }
  function slotOf(of: VersionName): Slot {
    const name = nameOf(of)
    const slot = slots.get(name)
    if (slot === undefined) return begin(of)
    // Also where the clock was set back since.
    if (slot.failure !== undefined && Math.abs(clock() - slot.failure.timeMs) > RETRY_MS)
      return begin(of, slot.failure)
    markUsed(slots, slot)
    return slot
  }
  return {
    handle,
    load: async (of) => {
      const slot = slots.get(nameOf(of))
      const known = slot !== undefined && slot.failure === undefined
      return (known ? slot : begin(of, slot?.failure)).loading
    },
    want: (of) => slotOf(of).served,
    stillServed: ({ name }) => {
      const slot = slots.get(name)
      if (slot !== undefined) markUsed(slots, slot)
      return slot?.served
    },
    pin: (names) => {
      pinned = new Set(names)
    },
    dropped,
    figures: () => figuresOf([...slots.values()]),
    close: () => {
      closed = true
    },
  }
}

/** The least recently used come first. */
function markUsed(slots: Map<string, Slot>, slot: Slot): void {
  slots.delete(slot.name)
  slots.set(slot.name, slot)
}

async function loadAs(
  { pool, dataDir }: ServingParts,
  served: ServedModel,
  of: VersionName,
  drop: number[],
): Promise<ServedModel> {
  const job = { source: { dataDir, ...of }, handle: served.handle, keep: true, drop }
  const { servable, reasons } = await pool.run('model', job)
  if (!servable) throw serviceError('MODEL_NOT_SERVABLE', reasons.join(' '))
  return served
}

function figuresOf(slots: Slot[]): ReturnType<Serving['figures']> {
  return {
    loaded: slots.filter(({ served }) => served !== undefined).map(({ name }) => name),
    failed: slots.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [{ model: name, reason: failure.reason }],
    ),
  }
}
