import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

/** EXACTNESS_RUNS=1000 for a long run, EXACTNESS_SEED to repeat one. */
const RUNS = Number(process.env.EXACTNESS_RUNS ?? 25)
const SEED =
  process.env.EXACTNESS_SEED === undefined ? {} : { seed: Number(process.env.EXACTNESS_SEED) }
const TIMEOUT_MS = 60_000 + RUNS * 500

interface Found {
  hits: { id: string; source: Record<string, unknown>; highlight: object }[]
  total: number
}

let service: RunningApp
let named = 0
let documents = 0

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

const letters = fc.string({ unit: 'binary', maxLength: 12 })
const half = fc.constantFrom(
  '\ud83d',
  'x\udc00',
  '\u0000',
  '\u0001',
  'a.b',
  '..',
  '.',
  '',
  ' ',
  '@date',
  '$',
  '[0]',
  '2020-02-30',
  '1e400',
  'NaN',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
)
/** The name that the wire refuses, wherever it stands. */
const RESERVED = '__proto__'
const anyWord = fc.oneof({ weight: 3, arbitrary: letters }, { weight: 2, arbitrary: half })
const word = anyWord.filter((one) => one !== RESERVED)
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(2 ** 53, 2 ** 63, 2 ** 64, -(2 ** 63), 1e308, 5e-324, -0),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(word, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any
const source = fc.record({
  extra: fc.dictionary(word, value, { maxKeys: 5, noNullPrototype: true }),
  content: fc.oneof(
    word,
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constant('long'.repeat(100)),
  ),
})

const wellFormed = (text: string) => Buffer.from(text).toString()

/** What a value becomes: nothing but half pairs, and numbers that JSON does not have, change. */
function stored(sent: unknown): unknown {
  return JSON.parse(JSON.stringify(sent), (_key, inner: unknown) => {
    if (typeof inner === 'string') return wellFormed(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [wellFormed(key), one]))
  })
}

it(
  'finds every document that it takes, whatever stands in it',
  async () => {
    const property = fc.asyncProperty(
      fc.array(source, { minLength: 1, maxLength: 12 }),
      async (sources) => {
        const items = sources.map(({ extra, content }) => {
          const id = `any${named++}`
          return { id, document: { title: `zebra ${id}`, content, tags: [id], extra } }
        })
        const { items: written } = await service.must<{ items: { status: number }[] }>(
          'POST',
          '/cortex/documents/bulk',
          { index: 'any', documents: items },
        )
        documents += written.filter(({ status }) => status === 200).length
        expect(written.map(({ status }) => status)).toEqual(items.map(() => 200))
        for (const { id, document } of items) {
          const query = { index: 'any', query: id, searchType: 'text', highlight: true }
          const { hits } = await service.must<Found>('POST', '/cortex/search', query)
          expect(hits.map((hit) => hit.id)).toEqual([id])
          expect(hits[0]?.source).toEqual(stored(document))
          const filtered = await service.must<Found>('POST', '/cortex/search', {
            filters: { tags: id },
          })
          expect(filtered.total).toBe(1)
        }
        const all = await service.must<Found>('POST', '/cortex/search', { index: 'any', size: 0 })
        expect(all.total).toBe(documents)
      },
    )
    await fc.assert(property, {
      numRuns: RUNS,
      interruptAfterTimeLimit: TIMEOUT_MS - 15_000,
      ...SEED,
    })
  },
  TIMEOUT_MS,
)

it(
  'answers every query that has the right shape',
  async () => {
    const search = fc.record(
      {
        query: fc.oneof(
          word,
          fc.string({ unit: 'grapheme', maxLength: 60 }),
          fc.constantFrom('"', '""', '" "', 'a "b', '"a" "b" c', '*', '(', 'AND OR NOT', '\\"'),
        ),
        searchType: fc.constantFrom('text', 'vector', 'hybrid'),
        filters: fc.dictionary(
          word.filter((key) => !['and', 'or', 'not'].includes(key)),
          fc.oneof(
            word,
            number,
            fc.boolean(),
            fc.constant(null),
            fc.record({ gte: fc.oneof(word, number) }),
          ),
          { maxKeys: 3, noNullPrototype: true },
        ),
        facets: fc.array(
          word.map((key) => `extra.${key}`),
          { maxLength: 3 },
        ),
        sort: fc.array(
          word.map((key) => `extra.${key}:desc`),
          { maxLength: 2 },
        ),
        fuzziness: fc.constantFrom(0, 1, 2, 'AUTO'),
        prefix: fc.boolean(),
        phrase: fc.boolean(),
        slop: fc.integer({ min: 0, max: 100 }),
        operator: fc.constantFrom('or', 'and'),
        highlight: fc.constant(true),
        explain: fc.constant(true),
        minScore: fc.double({ noNaN: true, noDefaultInfinity: true }),
        size: fc.integer({ min: 0, max: 20 }),
      },
      { requiredKeys: [] },
    )
    const property = fc.asyncProperty(search, async (body) => {
      const { hits, total } = await service.must<Found>('POST', '/cortex/search', {
        index: 'any',
        ...body,
      })
      expect(hits.length).toBe(Math.min(total, body.size ?? 10))
    })
    await fc.assert(property, {
      numRuns: RUNS * 12,
      interruptAfterTimeLimit: TIMEOUT_MS - 15_000,
      ...SEED,
    })
  },
  TIMEOUT_MS,
)

it('takes a word of many bytes, and finds the others', async () => {
  const document = { title: 'zebra any-long', content: 'long'.repeat(100_000) }
  await service.must('POST', '/cortex/documents', { index: 'any', id: 'any-long', document })
  documents += 1
  const query = {
    index: 'any',
    query: 'any-long',
    operator: 'and',
    searchType: 'text',
    highlight: true,
  }
  expect(
    (await service.must<Found>('POST', '/cortex/search', query)).hits.map(({ id }) => id),
  ).toContain('any-long')
})

it('still has everything after a restart', async () => {
  const before = await service.must<Found>('POST', '/cortex/search', { index: 'any', size: 0 })
  await service.restart()
  const after = await service.must<Found>('POST', '/cortex/search', { index: 'any', size: 0 })
  expect(after.total).toBe(before.total)
})
