import { native } from '../../src/native.ts'

export type Source = Record<string, unknown>

/** A document that stands, with its place in the order of writes. */
export interface Known {
  id: string
  source: Source
  order: number
}

/** What the test's index declares; every other field is dynamic. */
const TYPES: Record<string, 'keyword' | 'number' | 'date' | 'boolean'> = {
  tags: 'keyword',
  n: 'number',
  price: 'number',
  day: 'date',
  open: 'boolean',
}
const SEARCHED = ['title', 'content', 'abstract', 'authors', 'tags', 'source']
const VECTORIZED = ['title', 'content', 'abstract']

/** The values at a dotted path, lists spread out. */
function valuesOf(source: Source, path: string): unknown[] {
  let values: unknown[] = [source]
  for (const key of path.split('.'))
    values = values.flatMap((value) => [(value as Source)?.[key]].flat())
  return values.filter((value) => value !== undefined && value !== null)
}

/** Milliseconds of what can be read as a date. */
function dateOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const text = String(value)
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  return Date.parse(text.includes('T') ? text : `${text}T00:00:00Z`)
}

/** A value as what it compares by, given what it is compared with. */
function comparable(field: string, value: unknown, other: unknown): unknown {
  const type = TYPES[field]
  if (type === 'keyword') return String(value)
  if (type === 'date') return dateOf(value)
  if (type !== undefined || typeof value !== 'string') return value
  return typeof other === 'string' && dateOf(other) !== undefined ? dateOf(value) : value
}

/** Dynamic values that are one value have one name: the instant of a date, else the word. */
function nameOf(value: unknown): string {
  const date = typeof value === 'string' ? dateOf(value) : undefined
  return date === undefined ? String(value) : new Date(date).toISOString()
}

function isEqual(field: string, value: unknown, wanted: unknown): boolean {
  if (TYPES[field] === undefined) return nameOf(value) === nameOf(wanted)
  const left = comparable(field, value, wanted)
  return left !== undefined && left === comparable(field, wanted, wanted)
}

function isWithin(field: string, value: unknown, bounds: Source): boolean {
  return Object.entries(bounds).every(([word, bound]) => {
    const [left, right] = [comparable(field, value, bound), comparable(field, bound, bound)]
    if (left === undefined || typeof left !== typeof right) return false
    const [a, b] = [left as number, right as number]
    if (word === 'gt') return a > b
    if (word === 'gte') return a >= b
    if (word === 'lt') return a < b
    if (word === 'lte') return a <= b
    throw new Error(`The reference knows no operator ${word}.`)
  })
}

/** Whether a document fulfils the wire's filters. */
export function passes(filters: Source, known: Known): boolean {
  return Object.entries(filters).every(([key, wanted]) => {
    if (key === 'and') return (wanted as Source[]).every((one) => passes(one, known))
    if (key === 'or') return (wanted as Source[]).some((one) => passes(one, known))
    if (key === 'not') return ![wanted as Source].flat().some((one) => passes(one as Source, known))
    return holds(key, wanted, key === '_id' ? { _id: known.id } : known.source)
  })
}

function holds(field: string, wanted: unknown, source: Source): boolean {
  const values = valuesOf(source, field)
  if (Array.isArray(wanted)) return wanted.some((one) => holds(field, one, source))
  if (typeof wanted !== 'object' || wanted === null)
    return values.some((value) => isEqual(field, value, wanted))
  const { not, exists, ...bounds } = wanted as Source
  if (not !== undefined && holds(field, not, source)) return false
  if (exists !== undefined && values.length > 0 !== exists) return false
  if (Object.keys(bounds).length === 0) return true
  return values.some((value) => isWithin(field, value, bounds))
}

export interface TextQuery {
  words: string[]
  phrases: string[][]
  operator: 'or' | 'and'
  slop: number
  fields: string[] | undefined
}

const known = new Map<string, string | undefined>()

/** The term of a word as the index's default analyzer makes it beside others; undefined for a stop word. */
function termOf(engineId: number, word: string): string | undefined {
  if (!known.has(word)) known.set(word, native.analyze(engineId, 'title', `fox ${word}`)[1])
  return known.get(word)
}

/** The terms of a text; its stop words, which no stemmer changes, only if it has no other words. */
function rowOf(engineId: number, text: string): Terms {
  const words = text.split(/\s+/)
  const row = words.map((word) => termOf(engineId, word))
  return row.some((term) => term !== undefined) ? row : words
}

/** Whether the words of a query find a document. */
export function matchesText(engineId: number, query: TextQuery, source: Source): boolean {
  const values = (query.fields ?? SEARCHED).flatMap((field) => valuesOf(source, field))
  const rows = values.map((value) => rowOf(engineId, String(value)))
  const asked = [...query.words, ...query.phrases.flat()]
  const isAlone = asked.every((word) => termOf(engineId, word) === undefined)
  const read = (word: string) => (isAlone ? word : termOf(engineId, word))
  const has = (term: string) => rows.some((row) => row.includes(term))
  const terms = query.words.flatMap((word) => read(word) ?? [])
  const phrases = query.phrases
    .map((words) => words.map(read))
    .filter((words) => words.some((term) => term !== undefined))
  if (terms.length + phrases.length === 0) return false
  const hasPhrase = (phrase: Terms) => rows.some((row) => hasRow(row, phrase, query.slop))
  if (query.operator === 'and') return terms.every(has) && phrases.every(hasPhrase)
  return terms.some(has) || phrases.some(hasPhrase)
}

type Terms = (string | undefined)[]

/** Whether the words stand in the row with their distances, moved by at most `slop` in all, each at a place of its own. */
function hasRow(row: Terms, phrase: Terms, slop: number): boolean {
  const wanted = phrase.flatMap((term, offset) => (term === undefined ? [] : [{ term, offset }]))
  const places = wanted.map(({ term }) => row.flatMap((word, at) => (word === term ? [at] : [])))
  const reach = (taken: number[]): boolean => {
    const shifts = taken.map((place, at) => place - (wanted[at]?.offset ?? 0))
    if (Math.max(...shifts) - Math.min(...shifts) > slop) return false
    const free = (places[taken.length] ?? []).filter((place) => !taken.includes(place))
    return taken.length === wanted.length || free.some((place) => reach([...taken, place]))
  }
  return (places[0] ?? []).some((place) => reach([place]))
}

/** The unit vector of a text; undefined when the space knows nothing of it. */
export function embed(engineId: number, text: string): Float32Array | undefined {
  const vector = native.embed(engineId, [text])
  return vector.some((x) => x !== 0) ? vector : undefined
}

export function vectorOf(engineId: number, source: Source): Float32Array | undefined {
  return embed(engineId, VECTORIZED.flatMap((field) => valuesOf(source, field)).join('\n'))
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0)
}

/** q' = normalise(q + .8 · normalise(mean)), as vector feedback moves a query. */
export function moved(query: Float32Array, documents: Float32Array[]): Float32Array {
  const mean = query.map((_, at) => documents.reduce((sum, row) => sum + (row[at] ?? 0), 0))
  const length = Math.sqrt(cosine(mean, mean))
  if (length === 0) return query
  const sum = query.map((x, at) => x + (0.8 * (mean[at] ?? 0)) / length)
  const norm = Math.sqrt(cosine(sum, sum))
  return sum.map((x) => x / norm)
}

type SortValue = number | string

/** What a document is sorted by: its least value, or its greatest; undefined when it has none. */
export function sortValue(
  field: string,
  descending: boolean,
  source: Source,
): SortValue | undefined {
  const values = valuesOf(source, field).map((value): SortValue => {
    if (TYPES[field] === 'date') return dateOf(value) ?? 0
    if (typeof value !== 'string') return Number(value)
    return (TYPES[field] === undefined ? dateOf(value) : undefined) ?? value
  })
  return values.sort((a, b) => (descending ? -1 : 1) * compareValues(a, b))[0]
}

/** Numbers come before text. */
export function compareValues(a: SortValue, b: SortValue): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** The terms of a facet, most frequent first, then in the order of values. */
export function facetValues(documents: Known[], field: string, size: number) {
  const counts = new Map<string, { value: unknown; count: number }>()
  for (const { source } of documents) {
    const values = valuesOf(source, field).map((value) =>
      TYPES[field] === 'date' ? new Date(dateOf(value) ?? 0).toISOString() : value,
    )
    for (const name of new Set(values.map(nameOf))) {
      const known = counts.get(name)
      const spellings = values.filter((value) => nameOf(value) === name)
      counts.set(name, {
        value: shown([...spellings, ...(known === undefined ? [] : [known.value])]),
        count: (known?.count ?? 0) + 1,
      })
    }
  }
  const rank = (value: unknown) => ['number', 'string', 'boolean'].indexOf(typeof value)
  return [...counts.values()]
    .sort(
      (a, b) =>
        b.count - a.count ||
        rank(a.value) - rank(b.value) ||
        compareValues(a.value as SortValue, b.value as SortValue),
    )
    .slice(0, size)
}

/** What stands for equal values: one that is no string, else the least. */
function shown(values: unknown[]): unknown {
  return values.find((value) => typeof value !== 'string') ?? values.sort()[0]
}

export interface Range {
  from?: number | string
  to?: number | string
}

export function facetRange(documents: Known[], field: string, { from, to }: Range): number {
  const bounds = {
    ...(from === undefined ? {} : { gte: from }),
    ...(to === undefined ? {} : { lt: to }),
  }
  return documents.filter(({ source }) =>
    valuesOf(source, field).some((value) => isWithin(field, value, bounds)),
  ).length
}

export function facetStats(documents: Known[], field: string) {
  const values = documents
    .flatMap(({ source }) => valuesOf(source, field))
    .map((value) => (typeof value === 'string' ? dateOf(value) : value))
    .filter((value) => typeof value === 'number')
  const sum = values.reduce((total, value) => total + value, 0)
  if (values.length === 0) return { min: null, max: null, avg: null, sum: 0, count: 0 }
  return {
    min: Math.min(...values),
    max: Math.max(...values),
    avg: expectClose(sum / values.length),
    sum: expectClose(sum),
    count: values.length,
  }
}

/** Sums are made in another order there. */
function expectClose(value: number): { asymmetricMatch: (other: unknown) => boolean } {
  return { asymmetricMatch: (other) => Math.abs((other as number) - value) < 1e-9 }
}
