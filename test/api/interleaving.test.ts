import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

const DOCUMENTS = 130
let app: RunningApp
let testId: string
let sessionId: string

beforeAll(async () => {
  // Nothing but the test itself may change an order here.
  app = await startApp({ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0' })
  const documents = Array.from({ length: DOCUMENTS }, (_, n) => {
    const title = n % 3 === 0 ? `fox ${n}` : `story ${n}`
    const document = {
      title,
      content: `${'fox '.repeat(1 + (n % 7))}and ${'others '.repeat(n % 5)}`,
    }
    return { id: `d${n}`, document }
  })
  await app.call('POST', '/cortex/documents/bulk', { index: 'tales', documents })
  testId = await interleave({}, { fieldWeights: { title: 0.001 } })
  sessionId = (await app.call<Data>('POST', '/cortex/sessions', { userId: 'walker' })).data
    .sessionId
})
afterAll(() => app.close())

/** An interleaved test of two configurations; returns its id. */
async function interleave(one: object, two: object): Promise<string> {
  const variants = [
    { id: 'one', config: one },
    { id: 'two', config: two },
  ]
  const name = `${JSON.stringify(one)} or ${JSON.stringify(two)}`
  const sent = { name, variants, mode: 'interleaving' }
  const { status, data } = await app.call<Data>('POST', '/cortex/ab-test/create', sent)
  expect(status).toBe(200)
  return data.testId
}

async function search(more: object): Promise<Data> {
  const words = { query: 'fox', index: 'tales', sessionId, ...more }
  const { status, data } = await app.call<Data>('POST', '/cortex/search', words)
  expect(status).toBe(200)
  return data
}

const idsOf = ({ hits }: Data): string[] => hits.map(({ id }: Data) => id)
const shown = async ({ searchContext: { queryId } }: Data): Promise<Data> =>
  (await app.call<Data>('GET', `/nous/learn/searches/${queryId}`)).data
const replayed = async ({ searchContext: { queryId } }: Data): Promise<Data> =>
  (await app.call<Data>('POST', `/nous/learn/searches/${queryId}/replay`)).data

const WALKS: Record<string, (size: number, more: object) => Promise<Data[]>> = {
  from: async (size, more) => {
    const pages = [await search({ size, ...more })]
    while (idsOf(pages.at(-1) ?? {}).length === size)
      pages.push(await search({ size, from: pages.length * size, ...more }))
    return pages
  },
  cursor: async (size, more) => {
    const pages = [await search({ size, ...more })]
    while (pages.at(-1)?.nextCursor !== undefined)
      pages.push(await search({ size, cursor: pages.at(-1)?.nextCursor, ...more }))
    return pages
  },
}

describe.each(Object.keys(WALKS))('the pages of an interleaved list, walked by %s,', (way) => {
  it.each([
    [1, {}],
    [7, {}],
    [10, { searchType: 'text' }],
    [60, {}],
    [100, {}],
  ])('show each hit once, %i at a time, %j', async (size, more) => {
    const plain = await search({ size: 1000, sessionId: undefined, ...more })
    const pages = await WALKS[way]!(size, more)
    const walked = pages.flatMap(idsOf)
    expect(new Set(walked).size).toBe(walked.length)
    expect([...walked].sort()).toEqual(idsOf(plain).sort())
    for (const { total } of pages) expect(total).toBe(plain.total)
    const [first, second] = pages
    expect(idsOf(first ?? {})).toHaveLength(size)
    // How likely a hit was at its place, nobody reckons: it is not told as certain.
    const { hits } = await shown(first!)
    expect(new Set(hits.map(({ propensity }: Data) => propensity))).toEqual(new Set([null]))
    const teams = (await Promise.all([first, second].map((page) => shown(page!)))).map(
      ({ interleaved }) => interleaved?.teams ?? '',
    )
    expect(teams[0]).toMatch(size === 100 ? /^[ab]+-*$/ : /^[ab]+$/)
    expect(teams[1]).toMatch(size === 100 ? /^$/ : /^[ab]+-*$/)
  })
})

it('a list of one hit is nobody’s, and ends behind it', async () => {
  const only = { query: '"story 7"', searchType: 'text', size: 1, explain: true }
  for (const [from, ids] of [
    [0, ['d7']],
    [1, []],
  ] as const) {
    const page = await search({ ...only, from })
    expect([idsOf(page), page.total, page.nextCursor]).toEqual([ids, 1, undefined])
    for (const { explain } of page.hits) expect(explain).not.toHaveProperty('variant')
    expect(await shown(page)).not.toHaveProperty('interleaved')
    expect((await replayed(page)).hits.map(({ id }: Data) => id)).toEqual(ids)
  }
})

it('an explanation is of the ranking that supplied the hit, and names its variant', async () => {
  const rankings = new Map<string, Map<string, number>>()
  for (const [variant, boost] of [
    ['one', {}],
    ['two', { title: 0.001 }],
  ] as const) {
    const { hits } = await search({ size: 1000, sessionId: undefined, boost })
    rankings.set(variant, new Map(hits.map(({ id, score }: Data) => [id, score])))
  }
  const page = await search({ explain: true, size: 100 })
  const { teams } = (await shown(page)).interleaved
  const variants = page.hits.map(({ explain }: Data) => explain.variant)
  const named: Record<string, string> = { a: 'one', b: 'two' }
  expect(variants).toEqual([...teams].map((team) => named[team]))
  expect(new Set(variants)).toContain('two')
  for (const { id, score, explain } of page.hits) {
    if (explain.variant !== undefined) expect(score).toBe(rankings.get(explain.variant)?.get(id))
    expect(explain.score).toBeCloseTo(score, 6)
  }
  const [, second] = await WALKS.from!(60, { explain: true })
  const own = second?.hits.map(({ explain }: Data) => explain.variant !== undefined)
  expect(own).toEqual([...(await shown(second!)).interleaved.teams].map((team) => team !== '-'))
  expect(own.slice(40)).toEqual(Array(20).fill(false))
})

it('a page of an interleaved list is run again as it was', async () => {
  for (const page of await WALKS.from!(40, {})) {
    const again = await replayed(page)
    expect(again.hits.map(({ id }: Data) => id)).toEqual(idsOf(page))
    expect(again.total).toBe(page.total)
  }
})

it('run again, explanations name the variant that each hit is from, as they did', async () => {
  const variantsOf = ({ hits }: Data) => hits.map(({ explain }: Data) => explain.variant)
  for (const page of await WALKS.from!(60, { explain: true }))
    expect(variantsOf(await replayed(page))).toEqual(variantsOf(page))
})

describe('each ranking is made by its own part of learning', () => {
  const others: string[] = []
  const stop = (id?: string) => app.call('POST', `/cortex/ab-test/${id}/stop`)
  beforeAll(async () => {
    await stop(testId)
    for (const id of ['x', 'y', 'z']) {
      const source = { title: 'rare bird', content: `${'bird '.repeat(id.charCodeAt(0) - 118)}` }
      await app.call('PUT', `/cortex/documents/${id}?index=few`, source)
    }
  })
  afterEach(async () => {
    for (const id of others.splice(0)) await stop(id)
  })

  /** First hits of the lists that twenty people are shown, and whether each is run again as it was. */
  async function firstsOf(one: object, two: object): Promise<string[]> {
    others.push(await interleave(one, two))
    const firsts = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const { data } = await app.call<Data>('POST', '/cortex/sessions', { userId: `u${n}` })
      const page = await search({ query: 'bird', index: 'few', sessionId: data.sessionId })
      firsts.add(idsOf(page)[0] ?? '')
      const again = await replayed(page)
      expect(again.hits.map(({ id }: Data) => id)).toEqual(idsOf(page))
    }
    return [...firsts].sort()
  }

  it.each([
    [{ model: null }, { model: 'backwards' }],
    [{ model: 'backwards' }, {}],
  ])('model: %j and %j', async (one, two) => {
    const state = {
      ...{ weights: [-1], bias: 0, featureNames: ['fusedScore'] },
      scaler: { mean: [0], std: [1] },
    }
    await app.call('POST', '/nous/learn/models/sync', { modelId: 'backwards', state })
    // Searches go on without a model until a thread has loaded it, which a busy machine may do late.
    const { models } = app.app.learning
    await waitUntil(() => models.namedModel('backwards')?.name === 'backwards@1')
    const best = idsOf(await search({ query: 'bird', index: 'few', sessionId: undefined }))
    expect(await firstsOf(one, two)).toEqual([best[0], best[2]].sort())
    const page = await search({ query: 'bird', index: 'few' })
    expect(page.searchContext.model).toBeNull()
    expect((await shown(page)).model).toBeNull()
  })

  it.each([
    [{ learning: false }, {}],
    [{}, { learning: false }],
  ])('click memory: %j and %j', async (one, two) => {
    await app.restart({ MEMORY_STRENGTH: '0.8' })
    const query = { query: 'bird', index: 'few' }
    const last = (await search({ ...query, sessionId: undefined })).hits.at(-1)
    for (const userId of ['ann', 'bob', 'cem']) {
      const { data } = await app.call<Data>('POST', '/cortex/sessions', { userId })
      const { searchContext } = await search({ ...query, sessionId: data.sessionId })
      const metadata = { userAction: 'purchase', resultId: last.id }
      const feedback = [{ queryId: searchContext.queryId, rating: 1, metadata }]
      await app.call('POST', '/cortex/feedback', { sessionId: data.sessionId, feedback })
    }
    await app.app.learning.caughtUp()
    const learned = await search({ ...query, sessionId: undefined })
    const firsts = await firstsOf(one, two)
    expect(firsts).toHaveLength(2)
    expect(firsts).toContain(idsOf(learned)[0])
    const learner = Object.keys(one).length === 0 ? 'one' : 'two'
    const explained = await search({ ...query, explain: true })
    for (const { explain } of explained.hits)
      expect(explain.clickMemory !== undefined).toBe(explain.variant === learner)
  })
})
