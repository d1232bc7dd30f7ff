import { asObject } from '../../object.ts'
import { DOCUMENT_ID_BYTES_MAX } from '../../schema/document-id.ts'
import { BOOST_MAX, type DocumentName, type Tuning } from '../../schema/tuning.ts'
import { hasArrow, openSynonymCheck, sidesOf } from '../../synonym-rule.ts'
import { shownName, TOLD_MAX } from '../../word.ts'

/** Why a value can't be read: where inside of it, and what may stand there. */
export interface Problem {
  path: string
  message?: string
  /** Whether it is too much of what the setting holds, so that it is meant as nothing else. */
  isExcess?: true
}

/** Takes note of what stands inside of a setting and is not read. */
export type Note = (path: string) => void

/** Notes a list or a map in which there is nothing, as that of a form that was not filled in: it sets nothing. */
export function noteEmpty(note: Note): undefined {
  note(' (empty, which counts as not sent)')
}

/** The core takes no greater weights, from a search itself neither. */
export const WEIGHT_MAX = 1e6

/** Every search that a change applies to carries its lists, and looks up what they name. */
const ENTRIES_MAX = { pins: 100, boosts: 1000, synonyms: 200 }

/** The core reads the rules anew for each of these searches. */
const SYNONYMS_MAX = { othersMax: 100, pairsMax: 20_000, bothWays: false }

function tooMany(key: keyof typeof ENTRIES_MAX, list: readonly unknown[]): Problem | undefined {
  const most = ENTRIES_MAX[key]
  if (list.length <= most) return undefined
  return { path: '', message: `must hold at most ${most} entries`, isExcess: true }
}

const RULE = 'must be words that mean the same, as a list or a text with commas, or a text "a => b"'

/** Rules as lists of equal words, or lines `a, b` and `a, b => c`. */
export function readSynonyms(value: unknown, tuning: Tuning, note: Note): Problem | undefined {
  if (!Array.isArray(value)) return { path: '', message: 'must be a list' }
  if (value.length === 0) return noteEmpty(note)
  const long = tooMany('synonyms', value)
  if (long !== undefined) return long
  const rules = value.map(readRule)
  const bad = rules.indexOf(undefined)
  if (bad >= 0) return { path: `[${bad}]`, message: RULE }
  const excess = openSynonymCheck(SYNONYMS_MAX)(value)
  if (excess !== undefined) return { path: `[${excess.at}]`, message: excess.means }
  const lone = rules.findIndex((rule) => rule?.length === 1 && !hasArrow(rule[0] as string))
  if (lone >= 0) note(`[${lone}] (one word alone means the same as no other)`)
  tuning.synonyms = rules as string[][]
  return undefined
}

/** Undefined for what is no rule. One with an arrow is one text, however it was sent; empty words of one without are dropped. */
function readRule(sent: unknown): string[] | undefined {
  const sides = sidesOf(sent)
  if (sides === undefined || sides.length > 2) return undefined
  const said = sides.map((side) => side.filter((word) => word !== ''))
  if (sides.length === 1) return said[0]?.length === 0 ? undefined : said[0]
  const isWhole = sides.every((side, at) => side.length === said[at]?.length)
  return isWhole ? [said.map((words) => words.join(', ')).join(' => ')] : undefined
}

/** Added to the score of a document whose boost names no number; 1 is the span of the fused score. */
const BOOST = 0.1
const BOOST_RANGE = `must be a number from -${WEIGHT_MAX} to ${WEIGHT_MAX}`
const ENTRY = 'must be the id of a document, or an object with an id'
const ID = `must name a document by an id of 1 to ${DOCUMENT_ID_BYTES_MAX} bytes`

/** What is read of each entry, and what is told of the rest. */
const READ = {
  pins: {
    keys: ['id', 'index'],
    advice: 'pins stand in the order of the list, and have id and index',
  },
  boosts: {
    keys: ['id', 'index', 'value'],
    advice: 'a boost has id, index, and value: the number to add',
  },
}

/** A list of ids or of objects with one, or a map by id; of a map of pins only the order counts. */
export function readDocuments(
  key: 'pins' | 'boosts',
  value: unknown,
  tuning: Tuning,
  note: Note,
): Problem | undefined {
  const byId = Array.isArray(value) ? undefined : asObject(value)
  const list = byId === undefined ? value : entriesOf(byId)
  if (!Array.isArray(list))
    return { path: '', message: 'must be a list of ids, or of objects with an id' }
  if (list.length === 0) return noteEmpty(note)
  const long = tooMany(key, list)
  if (long !== undefined) return long
  const documents = list.map((entry) => (typeof entry === 'string' ? { id: entry } : entry))
  const placeOf = (at: number) =>
    byId === undefined ? `[${at}]` : `.${shownName(documents[at].id)}`
  for (const [at, entry] of documents.entries()) {
    const problem = problemOf(key, entry)
    if (problem !== undefined) return { ...problem, path: `${placeOf(at)}${problem.path}` }
  }
  if (byId === undefined || key === 'boosts') noteUnread(key, documents, note)
  if (key === 'pins') tuning.pins = documents.map(nameOf)
  else {
    noteCut(documents, (at) => (byId === undefined ? `[${at}].value` : placeOf(at)), note)
    tuning.boosts = documents.map((document: Boost) => ({
      ...nameOf(document),
      value: countedOf(document.value ?? BOOST),
    }))
  }
  return undefined
}

/** A boost as it is sent. */
type Boost = DocumentName & { value?: number }

function entriesOf(byId: Record<string, unknown>): { id: string; value: unknown }[] {
  return Object.entries(byId).map(([id, value]) => ({ id, value }))
}

function problemOf(key: 'pins' | 'boosts', entry: unknown): Problem | undefined {
  const { id, index, value } = asObject(entry) ?? {}
  if (typeof id !== 'string') return { path: '', message: ENTRY }
  const bytes = Buffer.byteLength(id)
  if (bytes < 1 || bytes > DOCUMENT_ID_BYTES_MAX) return { path: '', message: ID }
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    return { path: '.index', message: 'must be the name of an index' }
  if (key === 'pins' || value === undefined) return undefined
  const isBoost = typeof value === 'number' && Math.abs(value) <= WEIGHT_MAX
  return isBoost ? undefined : { path: '', message: BOOST_RANGE }
}

function noteUnread(key: 'pins' | 'boosts', documents: readonly object[], note: Note): void {
  const { keys, advice } = READ[key]
  const told = new Set<string>()
  for (const [at, document] of documents.entries())
    for (const name of Object.keys(document)) {
      if (keys.includes(name) || told.has(name)) continue
      if (told.size >= TOLD_MAX) return
      told.add(name)
      note(`[${at}].${shownName(name)} (${advice})`)
    }
}

/** The first boost of which only a part counts: a client that sends one sends many. */
function noteCut(boosts: readonly Boost[], placeOf: (at: number) => string, note: Note): void {
  const at = boosts.findIndex(({ value = 0 }) => Math.abs(value) > BOOST_MAX)
  if (at < 0) return
  const counts = countedOf(boosts[at]?.value ?? 0)
  note(`${placeOf(at)} (counts as ${counts}: -${BOOST_MAX} to ${BOOST_MAX} count)`)
}

function countedOf(value: number): number {
  return Math.max(-BOOST_MAX, Math.min(BOOST_MAX, value))
}

function nameOf({ id, index }: DocumentName): DocumentName {
  return index === undefined ? { id } : { id, index }
}
