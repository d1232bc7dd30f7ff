import type { DocumentKey } from '../../schema/document-key.ts'
import type { AddedScores } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import type { PlaceChances } from '../statistics/place-chances.ts'
import {
  addEvidence,
  type DailyEvidence,
  type EvidenceChange,
  examinationOf,
  type Fading,
  gainOf,
} from './click-memory-evidence.ts'
import { packNames, packRemembered, unpackRemembered } from './click-memory-rows.ts'

/** What is remembered under one query. */
export interface Remembered {
  /** Journal entry of the newest evidence; behind the point, which of its changes that was. */
  sequence: number
  documents: Map<DocumentKey, DailyEvidence>
  /** Millionths of gain over all documents. */
  gain: number
  /** Keys of the documents as the row holds them; undefined when they are other ones by now. */
  names?: string | undefined
  /** What was last published. */
  view?: MemoryView | undefined
}

/** What searches read: what is remembered, as it weighs on one day and as people look. */
export interface MemoryView {
  day: number
  chances: PlaceChances
  added: AddedScores
}

/** The pairs of query and document, bounded: what was used least and longest ago goes first. */
export interface Pairs {
  find: (queryHash: string) => Remembered | undefined
  /** What a fact changes under a query. */
  add: (change: QueryChange) => void
  /** Inside a transaction. Returns whether any query had changed that somebody gained from. */
  save: () => boolean
  figures: () => { pairs: number; queries: number; gained: number; evicted: number }
}

/** What one journal entry changes under one query. */
export interface QueryChange {
  sequence: number
  queryHash: string
  documents: readonly DocumentChange[]
}

/** Amounts are in millionths; negative ones are taken out again. */
export interface DocumentChange extends EvidenceChange {
  document: DocumentKey
}

/** Documents remembered under one query. */
export const DOCUMENTS_MAX = 500
/** Share of the room that queries may fill which nobody gained from. */
const IDLE_SHARE = 0.2
/** Old queries among which the one with the least gain goes. */
const EVICTION_CHOICE = 16
/** Changes of one journal entry that are told apart. */
const CHANGES_MAX = 2 ** 20

/** How much is remembered, and for how long. */
interface Bounds extends Fading {
  memoryPairsMax: number
}

interface State {
  pairsMax: number
  fading: Fading
  // Maps walk in order of insertion: the first query is the one whose newest evidence is oldest.
  idle: Map<string, Remembered>
  gained: Map<string, Remembered>
  changed: Set<string>
  /** Among the changed ones is a query that somebody gained from. */
  isGainTouched: boolean
  pairs: number
  idlePairs: number
  evicted: number
  sequence: number
  changes: number
}

/** `onChange` runs before a query's evidence changes. */
export function openPairs(
  store: Store,
  bounds: Bounds,
  onChange: (remembered: Remembered) => void,
): Pairs {
  const state: State = {
    pairsMax: bounds.memoryPairsMax,
    fading: bounds,
    idle: new Map(),
    gained: new Map(),
    changed: new Set(),
    isGainTouched: false,
    pairs: 0,
    idlePairs: 0,
    evicted: 0,
    sequence: 0,
    changes: 0,
  }
  for (const [queryHash, remembered] of readAll(store)) place(state, queryHash, remembered)
  state.isGainTouched = false
  return {
    find: (queryHash) => find(state, queryHash),
    add: ({ sequence, queryHash, documents }) => {
      const known = find(state, queryHash)
      const remembered = known ?? { sequence: 0, documents: new Map(), gain: 0 }
      onChange(remembered)
      if (known !== undefined) displace(state, queryHash, known)
      state.changes = sequence === state.sequence ? state.changes + 1 : 0
      state.sequence = sequence
      remembered.sequence = sequence + state.changes / CHANGES_MAX
      for (const change of documents) apply(state, remembered, change)
      if (remembered.documents.size > 0) place(state, queryHash, remembered)
      state.changed.add(queryHash)
      while (state.pairs > state.pairsMax) evictOldest(state)
    },
    save: () => {
      for (const queryHash of state.changed) saveQuery(store, queryHash, find(state, queryHash))
      state.changed.clear()
      const { isGainTouched } = state
      state.isGainTouched = false
      return isGainTouched
    },
    figures: () => {
      const { pairs, idle, gained, evicted } = state
      return { pairs, queries: idle.size + gained.size, gained: gained.size, evicted }
    },
  }
}

function find({ gained, idle }: State, queryHash: string): Remembered | undefined {
  return gained.get(queryHash) ?? idle.get(queryHash)
}

/** Puts a query at the young end. */
function place(state: State, queryHash: string, remembered: Remembered): void {
  const { size } = remembered.documents
  state.pairs += size
  if (remembered.gain > 0) {
    state.gained.set(queryHash, remembered)
    state.isGainTouched = true
  } else {
    state.idle.set(queryHash, remembered)
    state.idlePairs += size
  }
}

function displace(state: State, queryHash: string, { documents }: Remembered): void {
  state.pairs -= documents.size
  if (state.idle.delete(queryHash)) state.idlePairs -= documents.size
  else state.isGainTouched = state.gained.delete(queryHash) || state.isGainTouched
}

function apply(state: State, remembered: Remembered, change: DocumentChange): void {
  const { documents } = remembered
  const { document, gain, examination } = change
  const before = documents.get(document)
  if (before === undefined) {
    // What was evicted can't be taken away again.
    if (gain + examination <= 0) return
    documents.set(document, addEvidence([], change, state.fading))
    if (remembered.names !== undefined) remembered.names = packNames([document], remembered.names)
    remembered.gain += gain
    if (documents.size > DOCUMENTS_MAX) drop(state, remembered, leastOf(remembered))
    return
  }
  // No more is taken away than there is.
  const isLess = gain < 0 || examination < 0
  const gainBefore = isLess ? gainOf(before) : undefined
  const evidence = addEvidence(before, change, state.fading)
  // Where a day came, the oldest may have joined another, and faded.
  const isAllAdded = !isLess && evidence === before
  const gained = isAllAdded ? gain : gainOf(evidence) - (gainBefore ?? gainOf(before))
  remembered.gain += gained
  if (evidence.length === 0) {
    documents.delete(document)
    remembered.names = undefined
  } else if (evidence !== before) documents.set(document, evidence)
}

function drop(state: State, remembered: Remembered, key: DocumentKey): void {
  const evidence = remembered.documents.get(key) ?? []
  remembered.gain -= gainOf(evidence)
  remembered.documents.delete(key)
  remembered.names = undefined
  state.evicted += 1
}

/** Queries that nobody gained from go first while they fill more than their share, the oldest at once. */
function evictOldest(state: State): void {
  const { idle, gained } = state
  const fromIdle = state.idlePairs > state.pairsMax * IDLE_SHARE || gained.size === 0
  const choice = fromIdle ? 1 : EVICTION_CHOICE
  let least: [string, Remembered] | undefined
  let seen = 0
  for (const entry of fromIdle ? idle : gained) {
    if (least === undefined || entry[1].gain < least[1].gain) least = entry
    seen += 1
    if (seen === choice) break
  }
  if (least === undefined) return
  const [queryHash, remembered] = least
  displace(state, queryHash, remembered)
  for (const key of [...remembered.documents.keys()]) drop(state, remembered, key)
  state.changed.add(queryHash)
}

/** The document with the least gain, of these the one that was looked at least, of these the oldest. */
function leastOf({ documents }: Remembered): DocumentKey {
  let least: { key: DocumentKey; gain: number; examination: number } | undefined
  for (const [key, evidence] of documents) {
    const gain = gainOf(evidence)
    const examination = examinationOf(evidence)
    const isLess =
      least === undefined ||
      gain < least.gain ||
      (gain === least.gain && examination < least.examination)
    if (isLess) least = { key, gain, examination }
  }
  return least?.key ?? ''
}

function saveQuery({ tables }: Store, queryHash: string, remembered: Remembered | undefined): void {
  if (remembered === undefined) {
    tables.clickMemory.remove(queryHash)
    return
  }
  const { sequence, documents } = remembered
  remembered.names ??= packNames(documents.keys())
  tables.clickMemory.put(queryHash, packRemembered(sequence, documents, remembered.names))
}

/** In the order of their newest evidence, as it was when they were saved. */
function readAll({ tables }: Store): [string, Remembered][] {
  const all: [string, Remembered][] = []
  for (const { key, value } of tables.clickMemory.range()) {
    const documents = unpackRemembered(value)
    let gain = 0
    for (const evidence of documents.values()) gain += gainOf(evidence)
    all.push([key, { sequence: value.sequence, documents, gain }])
  }
  return all.sort(([, a], [, b]) => a.sequence - b.sequence)
}
