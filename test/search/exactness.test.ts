import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import type { Known, Source, TextQuery } from './reference.ts'
import * as reference from './reference.ts'

/** Random corpora a run; EXACTNESS_RUNS=1000 for a long one, EXACTNESS_SEED to repeat one. */
const RUNS = Number(process.env.EXACTNESS_RUNS ?? 40)
const SEED =
  process.env.EXACTNESS_SEED === undefined ? {} : { seed: Number(process.env.EXACTNESS_SEED) }
const TIMEOUT_MS = 60_000 + RUNS * 2000
/** Vectors lie in half precision: a cosine this near to the cut may fall on either side. */
const BORDER = 4e-3

const WORDS =
  'run running runner jump jumps fox dog river the of lazy quick search searching'.split(' ')
const DAYS = ['2020-01-01', '2020-01-01T00:00:00Z', '2021-06-30T12:30:00.250Z', '2019-12-31']

const word = fc.constantFrom(...WORDS)
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
const tag = fc.constantFrom('red', 'blue', 'Blue', 'green apple', 'fox')
const whole = fc.integer({ min: -3, max: 5 })
const dynamic = fc.oneof(
  whole,
  fc.constantFrom('red', 'blue', 'zebra', '2', '2.5', '2.50', 'true'),
  fc.boolean(),
  fc.constant(2.5),
)
const when = fc.constantFrom(...DAYS, 'soon', 'later')
const optional = { requiredKeys: [] as [] }

const source = fc
  .record(
    {
      title: text,
      content: text,
      tags: fc.array(tag, { maxLength: 3 }),
      n: fc.oneof(whole, fc.array(whole, { maxLength: 3 })),
      price: fc.constantFrom(0.5, 1, 2.5, 10, -1, 1e9),
      day: fc.oneof(fc.constantFrom(...DAYS), fc.constant(1_577_836_800_000)),
      open: fc.boolean(),
      dyn: fc.oneof(dynamic, fc.array(dynamic, { maxLength: 3 })),
      when,
      deep: fc.record({ x: whole }, optional),
    },
    optional,
  )
  .map(
    (made): Source =>
      `${made.title ?? ''}${made.content ?? ''}`.trim() === ''
        ? { ...made, title: 'fox run' }
        : made,
  )

const id = fc.integer({ min: 0, max: 30 }).map((number) => `d${number}`)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: id, source }) },
  {
    weight: 2,
    arbitrary: fc.record({ merge: id, changes: source, gone: fc.constantFrom('tags', 'n', 'dyn') }),
  },
  { weight: 2, arbitrary: fc.record({ remove: id }) },
  {
    weight: 1,
    arbitrary: fc.record({ bulk: fc.array(fc.record({ id, source }), { maxLength: 8 }) }),
  },
)
type Step = Partial<{
  put: string
  source: Source
  merge: string
  changes: Source
  gone: string
  remove: string
  bulk: { id: string; source: Source }[]
}>

const bound = fc.constantFrom('gt', 'gte', 'lt', 'lte')
const range = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(bound, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
const not = (value: unknown) => ({ not: value })
const condition = (value: fc.Arbitrary<unknown>, bounds: fc.Arbitrary<object>) =>
  fc.oneof(
    value,
    fc.array(value, { minLength: 1, maxLength: 3 }),
    bounds,
    value.map(not),
    fc.boolean().map((exists) => ({ exists })),
  )
const day = fc.constantFrom(...DAYS)
/** Bounds that are no dates, though dates may lie beyond them. */
const vague = fc.constantFrom('m', 'soon', '2020')
const leaf = fc.oneof(
  condition(tag, range(tag)).map((tags) => ({ tags })),
  condition(whole, range(fc.oneof(whole, fc.constantFrom(0.5, -1.5)))).map((n) => ({ n })),
  condition(fc.constantFrom(1, 2.5, 10), range(fc.constantFrom(-1, 0.5, 3, 1e9))).map((price) => ({
    price,
  })),
  condition(day, range(day)).map((one) => ({ day: one })),
  condition(fc.boolean(), fc.constant({ exists: true })).map((open) => ({ open })),
  condition(dynamic, fc.oneof(range(whole), range(fc.constantFrom('blue', 'c', 'zebra')))).map(
    (dyn) => ({ dyn }),
  ),
  condition(when, range(fc.oneof(day, vague, whole))).map((one) => ({ when: one })),
  condition(whole, range(whole)).map((one) => ({ 'deep.x': one })),
  fc.constant({ nowhere: 1 }),
  fc
    .oneof(id, fc.array(id, { maxLength: 20 }), fc.array(id, { maxLength: 4 }).map(not))
    .map((ids) => ({ _id: ids })),
)
const { filters } = fc.letrec<{ filters: Source }>((tie) => ({
  filters: fc.oneof(
    { depthSize: 'small' },
    leaf as fc.Arbitrary<Source>,
    fc.array(tie('filters'), { maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie('filters'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    tie('filters').map((not) => ({ not })),
    fc.tuple(tie('filters'), leaf).map(([one, other]) => ({ ...one, ...other })),
  ),
}))

const sortKey = fc.tuple(
  fc.constantFrom(
    '_score',
    'n',
    'price',
    'day',
    'tags',
    'dyn',
    'when',
    'open',
    'deep.x',
    'nothing',
  ),
  fc.boolean(),
)
const search = fc.record({
  words: fc.array(word, { maxLength: 4 }),
  phrases: fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 1 }),
  operator: fc.constantFrom('or' as const, 'and' as const),
  slop: fc.constantFrom(0, 0, 1, 2),
  fields: fc.constantFrom<string[] | undefined>(
    undefined,
    undefined,
    ['title'],
    ['content', 'tags'],
  ),
  mode: fc.constantFrom('text', 'vector', 'hybrid'),
  feedback: fc.boolean(),
  filters: fc.option(filters, { nil: undefined }),
  sort: fc.array(sortKey, { maxLength: 3 }),
  pageSize: fc.integer({ min: 1, max: 7 }),
})
type Search = typeof search extends fc.Arbitrary<infer S> ? S : never

interface Found {
  hits: {
    id: string
    score: number
    source: Source
    explain: {
      parts: { text: number; vector: number }
      weights?: { text: number; vector: number }
      vector?: { cosine: number }
    }
  }[]
  total: number
  nextCursor?: string
  facets: Record<
    string,
    { values: { value: unknown; count: number }[]; ranges?: { count: number }[]; stats?: object }
  >
}

let service: RunningApp
let indices = 0

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

/** A fresh index with all steps done; answers what stands in it. */
async function build(steps: Step[]): Promise<{ index: string; documents: Map<string, Known> }> {
  const index = `x${indices++}`
  const types = { n: 'integer', price: 'double', day: 'date', open: 'boolean' }
  const properties = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { type }]),
  )
  await service.must('POST', '/cortex/indices', { name: index, mappings: { properties } })
  const documents = new Map<string, Known>()
  let order = 0
  const put = (key: string, made: Source) => {
    if (JSON.stringify(documents.get(key)?.source) !== JSON.stringify(made))
      documents.set(key, { id: key, source: made, order: order++ })
  }
  for (const one of steps) {
    if (one.bulk !== undefined) {
      const items = one.bulk.map((item) => ({ id: item.id, document: item.source }))
      await service.must('POST', '/cortex/documents/bulk', { index, documents: items })
      for (const item of one.bulk) put(item.id, item.source)
    } else if (one.put !== undefined && one.source !== undefined) {
      await service.must('POST', '/cortex/documents', { index, id: one.put, document: one.source })
      put(one.put, one.source)
    } else if (one.merge !== undefined) {
      const changes = { ...one.changes, [one.gone ?? '']: null }
      await service.must('PUT', `/cortex/documents/${one.merge}?index=${index}`, changes)
      const { [one.gone ?? '']: _, ...merged } = {
        ...documents.get(one.merge)?.source,
        ...one.changes,
      }
      put(one.merge, merged)
    } else if (one.remove !== undefined && documents.delete(one.remove))
      await service.must('DELETE', `/cortex/documents/${one.remove}?index=${index}`)
  }
  return { index, documents }
}

const FACETS = {
  tags: { size: 2 },
  n: { stats: true },
  price: { ranges: [{ to: 1 }, { from: 1, to: 5 }, { from: 5 }], stats: true },
  day: { ranges: [{ from: '2020-01-01', to: '2021-01-01' }, { to: '2019-01-01' }] },
  open: {},
  dyn: { ranges: [{ from: 0, to: 3 }], stats: true },
  when: { stats: true },
  'deep.x': { stats: true },
}

function requestOf(index: string, one: Search) {
  const quoted = one.phrases.map((phrase) => `"${phrase.join(' ')}"`)
  return {
    index,
    query: [...one.words, ...quoted].join(' '),
    searchType: one.mode,
    operator: one.operator,
    slop: one.slop,
    feedback: one.feedback,
    ...(one.fields === undefined ? {} : { searchFields: one.fields }),
    ...(one.filters === undefined ? {} : { filters: one.filters }),
    ...(one.sort.length === 0
      ? {}
      : { sort: one.sort.map(([field, descending]) => `${field}:${descending ? 'desc' : 'asc'}`) }),
  }
}

type Request = ReturnType<typeof requestOf>

/** Which documents must be found, and which others may be: those at the very border of the cut. */
async function expected(request: Request, one: Search, documents: Known[]) {
  const entry = service.app.indices.get(request.index)
  const { engineId } = entry.record
  const passing = documents.filter((known) => reference.passes(one.filters ?? {}, known))
  const everything = request.query === ''
  if (everything) return { must: passing, may: [], cosines: new Map<string, number>() }
  const query: TextQuery = one
  const byText = passing.filter(({ source: made }) => reference.matchesText(engineId, query, made))
  if (one.mode === 'text') return { must: byText, may: [], cosines: new Map<string, number>() }
  const vector = reference.embed(engineId, request.query.replaceAll('"', ' '))
  const vectors = new Map(
    passing.map(({ id: key, source: made }) => [key, reference.vectorOf(engineId, made)]),
  )
  const cosinesTo = (vector: Float32Array | undefined) =>
    new Map(
      [...vectors].flatMap(([key, row]): [string, number][] =>
        vector === undefined || row === undefined ? [] : [[key, reference.cosine(vector, row)]],
      ),
    )
  const own = cosinesTo(vector)
  // Who asks for neighbours alone gets them however far they are.
  const cut = one.mode === 'vector' ? -2 : service.app.engine.figures(entry).space.cut
  const near = (margin: number) =>
    passing.filter(({ id: key }) => (own.get(key) ?? -9) > cut + margin)
  let cosines = own
  if (vector !== undefined && one.mode === 'hybrid' && one.feedback) {
    const { sort: _, ...first } = { ...request, feedback: false, size: 5 } as Request & {
      size: number
    }
    const { hits } = await service.must<Found>('POST', '/cortex/search', first)
    const rows = hits.flatMap((hit) => vectors.get(hit.id) ?? [])
    cosines = cosinesTo(reference.moved(vector, rows))
  }
  const sure = new Set([...(one.mode === 'hybrid' ? byText : []), ...near(BORDER)])
  return { must: [...sure], may: near(-BORDER).filter((known) => !sure.has(known)), cosines }
}

async function check(index: string, documents: Map<string, Known>, one: Search): Promise<void> {
  const request = requestOf(index, one)
  const all = [...documents.values()]
  const full = await service.must<Found>('POST', '/cortex/search', {
    ...request,
    size: 1000,
    explain: true,
    facets: FACETS,
  })
  const ids = full.hits.map((hit) => hit.id)
  const found = full.hits.map((hit) => documents.get(hit.id) as Known)
  const { must: sure, may, cosines } = await expected(request, one, all)
  const sureIds = sure.map((known) => known.id)
  const mayIds = new Set(may.map((known) => known.id))
  expect(ids.filter((key) => !mayIds.has(key)).sort()).toEqual(sureIds.sort())
  expect(new Set(ids).size).toBe(ids.length)
  expect(full.total).toBe(ids.length)
  for (const hit of full.hits) expect(hit.source).toEqual(documents.get(hit.id)?.source)
  checkOrder(full, one, documents)
  checkScores(full, cosines)
  checkFacets(full, found)
  await checkDrillDown(request, full)
  await checkPages(request, one.pageSize, ids)
}

function checkOrder(full: Found, one: Search, documents: Map<string, Known>): void {
  const keys = one.sort.length === 0 ? ([['_score', true]] as [string, boolean][]) : one.sort
  for (const [at, hit] of full.hits.entries()) {
    const before = full.hits[at - 1]
    if (before === undefined) continue
    const order = keys
      .map(([field, descending]) => {
        const [a, b] = [before, hit].map((either) =>
          field === '_score' ? either.score : reference.sortValue(field, descending, either.source),
        )
        if (a === undefined || b === undefined)
          return Number(a === undefined) - Number(b === undefined)
        return (descending ? -1 : 1) * reference.compareValues(a, b)
      })
      .find((sign) => sign !== 0)
    const written = [before, hit].map(({ id: key }) => documents.get(key)?.order ?? 0)
    expect(order ?? (written[0] as number) - (written[1] as number)).toBeLessThan(0)
  }
}

function checkScores(full: Found, cosines: Map<string, number>): void {
  for (const { id: key, score, explain } of full.hits) {
    const { parts, weights, vector } = explain
    if (weights !== undefined)
      expect(score).toBeCloseTo(weights.text * parts.text + weights.vector * parts.vector, 9)
    for (const part of [parts.text, parts.vector]) {
      expect(part).toBeGreaterThanOrEqual(0)
      expect(part).toBeLessThanOrEqual(1)
    }
    if (vector !== undefined)
      expect(Math.abs(vector.cosine - (cosines.get(key) ?? -2))).toBeLessThan(BORDER)
  }
}

function checkFacets({ facets }: Found, found: Known[]): void {
  for (const [field, { size = 10, ranges, stats }] of Object.entries(FACETS) as [
    string,
    { size?: number; ranges?: reference.Range[]; stats?: boolean },
  ][]) {
    const facet = facets[field]
    expect({ field, values: facet?.values }).toEqual({
      field,
      values: reference.facetValues(found, field, size),
    })
    expect({ field, counts: facet?.ranges?.map(({ count }) => count) }).toEqual({
      field,
      counts: ranges?.map((one) => reference.facetRange(found, field, one)),
    })
    if (stats === true) expect(facet?.stats).toEqual(reference.facetStats(found, field))
  }
}

/** A filter by a value that was counted finds as many, in every mode. */
async function checkDrillDown(request: Request, { facets }: Found): Promise<void> {
  for (const [field, facet] of Object.entries(facets))
    for (const { value, count } of facet.values.slice(0, 2)) {
      const filters = { and: [request.filters ?? {}, { [field]: value }] }
      const narrow = { ...request, filters, size: 0 }
      const { total } = await service.must<Found>('POST', '/cortex/search', narrow)
      expect({ field, value, total }).toEqual({ field, value, total: count })
    }
}

/** The same list in pages, by number and by cursor to the very end, each with the same total. */
async function checkPages(request: Request, size: number, ids: string[]): Promise<void> {
  const paged: string[] = []
  for (let from = 0; from <= ids.length; from += size) {
    const page = await service.must<Found>('POST', '/cortex/search', { ...request, from, size })
    expect(page.total).toBe(ids.length)
    expect(page.nextCursor === undefined).toBe(from + size >= ids.length)
    paged.push(...page.hits.map((hit) => hit.id))
  }
  expect(paged).toEqual(ids)
  const followed: string[] = []
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page: Found = await service.must('POST', '/cortex/search', { ...request, size, cursor })
    expect(page.total).toBe(ids.length)
    followed.push(...page.hits.map((hit) => hit.id))
    cursor = page.nextCursor
  }
  expect(followed).toEqual(ids)
}

it(
  'counts, filters, sorts and pages as a recount by hand does, in every mode',
  async () => {
    const first = fc.array(fc.record({ id, source }), { maxLength: 25 })
    const cases = fc.record({
      first,
      steps: fc.array(step, { maxLength: 8 }),
      searches: fc.array(search, { minLength: 6, maxLength: 6 }),
    })
    const property = fc.asyncProperty(cases, async ({ first: bulk, steps, searches }) => {
      const { index, documents } = await build([{ bulk }, ...(steps as Step[])])
      for (const one of searches) await check(index, documents, one)
      await service.call('DELETE', `/cortex/indices/${index}`)
    })
    await fc.assert(property, {
      numRuns: RUNS,
      interruptAfterTimeLimit: TIMEOUT_MS - 10_000,
      ...SEED,
    })
  },
  TIMEOUT_MS,
)
