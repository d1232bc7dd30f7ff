import { openSync, writeSync } from 'node:fs'
import { openSynthetic, type Random, randomOf } from '../../bench/synthetic.ts'

/** A document's source as it was last sent, merged. */
export interface Source extends Record<string, unknown> {
  title: string
  content: string
  /** The id's own word, then the stamp: a word that this very version alone has. */
  tags: [string, string]
}

/** What is known of one document: the acknowledged state, and what a write that was never answered may have made of it. */
export interface Entry {
  index: string
  id: string
  /** Undefined = acknowledged as absent. */
  settled: Source | undefined
  /** A write under way, or cut off: its state counts beside the acknowledged one until a reading decides. */
  pending: { outcome: Source | undefined } | undefined
}

/** Everything that a run has been promised. It lives outside the server and its folder. */
export interface Oracle {
  random: Random
  entries: Map<string, Entry>
  /** Documents sent without an id whose answer never came: stamp → index and source. */
  nameless: Map<string, { index: string; source: Source }>
  /** Stamps of versions that were replaced or deleted: nothing may be found by them. */
  dead: { index: string; stamp: string }[]
  sessions: string[]
  /** Indices that were deleted: they must stay gone. */
  droppedIndices: string[]
  acknowledged: number
  /** Appends one acknowledged write to the log. */
  log: (what: string, id: string, stamp: string) => void
  /** A word that no other document or version has. */
  freshWord: () => string
  freshSource: (idWord: string) => Source
}

const CONTENT_WORDS = 40

/** Starts with nothing promised. The same seed draws the same writes, though answers may come in another order. */
export function openOracle(seed: number, logFile: string): Oracle {
  const random = randomOf(seed)
  const synthetic = openSynthetic(seed)
  const file = openSync(logFile, 'a')
  let words = 0
  let documents = 0
  const freshWord = () => `zq${letters(words++)}x`
  return {
    random,
    entries: new Map(),
    nameless: new Map(),
    dead: [],
    sessions: [],
    droppedIndices: [],
    acknowledged: 0,
    log: (what, id, stamp) => void writeSync(file, `${Date.now()} ${what} ${id} ${stamp}\n`),
    freshWord,
    freshSource: (idWord) => {
      const { title, content } = synthetic.document(documents++)
      return {
        title,
        content: content.split(' ').slice(0, CONTENT_WORDS).join(' '),
        tags: [idWord, freshWord()],
      }
    },
  }
}

/** Marks a write as under way. */
export function begin(entry: Entry, outcome: Source | undefined): void {
  entry.pending = { outcome }
}

/** Takes the write under way as acknowledged. */
export function settle(oracle: Oracle, entry: Entry, what: string): void {
  if (entry.pending === undefined) throw new Error(`${entry.id} has no write under way`)
  decide(oracle, entry, entry.pending.outcome)
  oracle.acknowledged += 1
  oracle.log(what, entry.id, entry.settled?.tags[1] ?? '-')
}

/** Takes `state` as what the document is from now on; the version before it is dead. */
export function decide(oracle: Oracle, entry: Entry, state: Source | undefined): void {
  for (const stamp of [entry.settled?.tags[1], entry.pending?.outcome?.tags[1]])
    if (stamp !== undefined && stamp !== state?.tags[1])
      oracle.dead.push({ index: entry.index, stamp })
  entry.settled = state
  entry.pending = undefined
}

/** What merging does: sent fields replace, null removes. */
export function merge(source: Source, sent: Record<string, unknown>): Source {
  const merged: Record<string, unknown> = { ...source, ...sent }
  for (const [name, value] of Object.entries(sent)) if (value === null) delete merged[name]
  return merged as Source
}

function letters(number: number): string {
  let word = ''
  for (let left = number + 26 ** 3; left > 0; left = Math.floor(left / 26))
    word = String.fromCharCode(97 + (left % 26)) + word
  return word
}
