import { performance } from 'node:perf_hooks'
import type { Store } from '../../store/store.ts'
import type { Consumer, ConsumerGroup, Fact } from '../facts.ts'

/*
 * Where the consumers are in the journal. In memory all are at the same place, `taken`. On the disk each group of them
 * has a place of its own, `saved`, which is written in one transaction with its rows:
 *
 *   journal     1  2  3  4  5  6  7  8  9
 *   on disk           └ patterns └ memory
 *   in memory                          └ all
 *
 * After a crash all start where the group that is furthest behind was saved, and each passes over what it has already:
 * nothing is folded twice, nothing is left out.
 */

/** What of the groups that are behind is saved: those whose time it is, or all. */
export type Saved = 'due' | 'all'

/** The state of all consumers, and its place in the journal. */
export interface Fold {
  /** Sequence of the last entry that every consumer has taken. */
  taken: () => number
  /** Sequence up to which consumers without a group are on the disk. */
  saved: () => number
  /** Sequence up to which all consumers are on the disk: a crash has what comes behind it read again. */
  kept: () => number
  take: (fact: Fact) => void
  /** All consumers have taken everything up to here. */
  advance: (sequence: number) => void
  /** Whether there are rows to save now: of groups whose time it is, or of all. */
  isDue: (which: Saved) => boolean
  /** Inside a transaction: saves what is due; call `settle` when it is on the disk. */
  save: (which: Saved) => void
  settle: () => void
  /** Shows searches what was taken: of consumers without a group only what is on the disk. */
  publish: () => void
  /** Back to what is on the disk. */
  load: () => void
  /** Inside a transaction: what is folded anew is saved up to here. */
  moveToWithin: (sequence: number, consumers: readonly Consumer[]) => void
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
  /** The name of its place on the disk, and the place. */
  mark: typeof PLACE | `${typeof PLACE}/${string}`
  saved: number
  /** How often it is saved at most, and when it last was, in the process's own time. */
  saveMs: number
  savedMs: number
  consumers: Consumer[]
}

interface State {
  store: Store
  consumers: readonly Consumer[]
  /** Consumers without a group, which are saved as soon as somebody told something. */
  prompt: Group
  /** All of them, the prompt one first. */
  groups: Group[]
  taken: number
  /** Something was taken that is more than what a search showed. */
  isTold: boolean
  /** What the transaction under way saves. */
  saving: Group[]
}

export function openFold(store: Store, consumers: readonly Consumer[]): Fold {
  const shared = [...new Set(consumers.map(({ group }) => group))].filter(
    (group) => group !== undefined,
  )
  const prompt = newGroup(consumers, undefined)
  const groups = [prompt, ...shared.map((group) => newGroup(consumers, group))]
  const state: State = {
    store,
    consumers,
    prompt,
    groups,
    taken: 0,
    isTold: false,
    saving: [],
  }
  return {
    taken: () => state.taken,
    saved: () => prompt.saved,
    kept: () => furthestBehind(state),
    take: (fact) => take(state, fact),
    advance: (sequence) => {
      state.taken = Math.max(state.taken, sequence)
    },
    isDue: (which) => dueOf(state, which).length > 0,
    save: (which) => save(state, which),
    settle: () => settle(state),
    publish: () => publish(state),
    load: () => load(state),
    moveToWithin: (sequence, anew) => moveToWithin(state, sequence, anew),
  }
}

function newGroup(consumers: readonly Consumer[], own: ConsumerGroup | undefined): Group {
  return {
    mark: own === undefined ? PLACE : `${PLACE}/${own.name}`,
    saved: 0,
    saveMs: own?.saveMs ?? PROMPT_MS,
    savedMs: 0,
    consumers: consumers.filter(({ group }) => group === own),
  }
}

function load(state: State): void {
  const { meta } = state.store.tables
  const place = meta.get(PLACE) ?? 0
  for (const group of state.groups) group.saved = meta.get(group.mark) ?? place
  state.taken = furthestBehind(state)
  for (const consumer of state.consumers) consumer.load()
}

function furthestBehind({ groups }: State): number {
  return Math.min(...groups.map(({ saved }) => saved))
}

function take(state: State, fact: Fact): void {
  state.isTold ||= fact.kind !== 'search'
  for (const group of state.groups)
    if (fact.sequence > group.saved) for (const consumer of group.consumers) consumer.take(fact)
}

/** Which groups are to be saved now. They take turns, so that no slice has to save them all. */
function dueOf({ groups, prompt, taken, isTold }: State, which: Saved): Group[] {
  const behind = groups.filter(({ saved }) => saved < taken)
  if (which === 'all') return behind
  const nowMs = performance.now()
  const over = behind.filter(({ savedMs, saveMs }) => nowMs - savedMs >= saveMs)
  const [longest] = over.filter((group) => group !== prompt).sort((a, b) => a.savedMs - b.savedMs)
  const isPromptDue = isTold || over.includes(prompt)
  return behind.filter((group) => (group === prompt ? isPromptDue : group === longest))
}

function save(state: State, which: Saved): void {
  const { meta } = state.store.tables
  state.saving = dueOf(state, which)
  for (const group of state.saving) {
    for (const consumer of group.consumers) consumer.save()
    meta.put(group.mark, state.taken)
  }
  // A group without a place would be taken to be where the others are.
  for (const { mark, saved } of state.groups)
    if (meta.get(mark) === undefined) meta.put(mark, saved)
}

function settle(state: State): void {
  if (state.saving.includes(state.prompt)) state.isTold = false
  for (const group of state.saving) {
    group.saved = state.taken
    group.savedMs = performance.now()
  }
  state.saving = []
}

function publish({ groups, prompt, taken }: State): void {
  for (const group of groups)
    if (group !== prompt || group.saved === taken)
      for (const consumer of group.consumers) consumer.publish?.()
}

function moveToWithin(state: State, sequence: number, anew: readonly Consumer[]): void {
  for (const group of state.groups) {
    if (!group.consumers.every((consumer) => anew.includes(consumer))) continue
    group.saved = sequence
    state.store.tables.meta.put(group.mark, sequence)
  }
  state.taken = furthestBehind(state)
}
