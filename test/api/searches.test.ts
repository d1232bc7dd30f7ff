import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

interface Shown {
  queryId: string
  sessionId?: string
  hits: {
    id: string
    position: number
    score: number
    propensity: number
    features: Record<string, number>
  }[]
  exploration?: { explored: boolean; propensities: number[] }
  generation: number
  model: string | null
  features: string[]
  added: { index: string; id: string; value: number }[]
}
interface Found {
  hits: { id: string; score: number }[]
  nextCursor?: string
  searchContext: { queryId: string; queryHash: string; generation: number }
}

const TITLES = [
  'Espresso at home',
  'A history of espresso machines',
  'Espresso and milk',
  'Grinding beans for espresso',
  'Tea at home',
  'Brewing espresso with a moka pot',
]

describe('what a search showed', () => {
  let service: RunningApp
  let sessionId: string

  beforeAll(async () => {
    service = await startApp({ EXPLORATION_SHARE: '1', EXPLORATION_TEMPERATURE: '0.5' })
    const documents = TITLES.map((title, at) => ({
      id: `d${at}`,
      document: { title, content: `${title}, and more about coffee` },
    }))
    await service.call('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
    const session = await service.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
    sessionId = session.data.sessionId
  })
  afterAll(() => service.close())

  const search = async (more: object = {}): Promise<Found> => {
    const words = { query: 'espresso', index: 'coffee', ...more }
    return (await service.call<Found>('POST', '/cortex/search', words)).data
  }
  const read = (queryId: string) => service.call<Shown>('GET', `/nous/learn/searches/${queryId}`)

  it('can be read at once: hits with their places, scores and features', async () => {
    const { hits, searchContext } = await search()
    const { status, data } = await read(searchContext.queryId)
    expect(status).toBe(200)
    expect(data.hits.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
    expect(data.hits.map(({ position }) => position)).toEqual(hits.map((_, at) => at + 1))
    expect(data.hits[0]?.score).toBe(hits[0]?.score)
    expect(data.features).toContain('textScore')
    // As the search said.
    expect(data.model).toBeNull()
    for (const { features } of data.hits) expect(features.textScore).toBeGreaterThan(0)
  })

  it('has a number in each feature, also of what words or neighbours alone found', async () => {
    for (const searchType of ['text', 'vector', 'hybrid']) {
      const { searchContext } = await search({ searchType })
      const { data } = await read(searchContext.queryId)
      expect(data.hits.length, searchType).toBeGreaterThan(0)
      for (const { features } of data.hits)
        for (const name of data.features) expect(features[name], name).toEqual(expect.any(Number))
      if (searchType === 'vector') expect(data.hits[0]?.features.bm25).toBe(0)
    }
  })

  it('is found by its ids in capitals, too, as feedback finds it', async () => {
    const capitals = sessionId.toUpperCase()
    const { searchContext } = await search({ sessionId: capitals })
    const queryId = searchContext.queryId.toUpperCase()
    const { status, data } = await read(queryId)
    expect([status, data.queryId]).toEqual([200, searchContext.queryId])
    const entry = { queryId, rating: 1, metadata: { userAction: 'share', resultId: 'd0' } }
    await service.call('POST', '/cortex/feedback', { sessionId: capitals, feedback: [entry] })
    for (const id of [sessionId, capitals]) {
      const path = `/nous/learn/events?type=FEEDBACK_RECEIVED&sessionId=${id}`
      await waitUntil(
        async () => (await service.call<{ total: number }>('GET', path)).data.total > 0,
      )
      const session = await service.call<{ sessionId: string }>('GET', `/cortex/sessions/${id}`)
      expect(session.data.sessionId).toBe(sessionId)
    }
  })

  it('takes a phrase for one of the words that are counted of the query and of a hit', async () => {
    const featuresOf = async (query: string) => {
      const { searchContext } = await search({ query, sessionId, searchType: 'text' })
      const { hits } = (await read(searchContext.queryId)).data
      return hits.find(({ id }) => id === 'd1')?.features
    }
    const of = (count: number, share: number) => ({
      ...{ queryLength: count, matchedTerms: share, titleTerms: share },
    })
    expect(await featuresOf('history espresso machines none')).toMatchObject(of(4, 0.75))
    expect(await featuresOf('"history of espresso machines" none')).toMatchObject(of(2, 0.5))
  })

  it('tells by its features what the session is held in, and what title and body score', async () => {
    for (const [deviceType, device] of [
      ['desktop', 1],
      ['Mobile', 2],
      ['tablet', 3],
      ['fridge', 0],
    ] as const) {
      const metadata = { deviceType }
      const begun = await service.call<{ sessionId: string }>('POST', '/cortex/sessions', {
        metadata,
      })
      const { searchContext } = await search({ sessionId: begun.data.sessionId })
      const { data } = await read(searchContext.queryId)
      expect(data.hits).not.toEqual([])
      for (const { features } of data.hits) {
        expect(features.device, deviceType).toBe(device)
        expect(features.titleScore).toBeGreaterThan(0)
        expect(features.bodyScore).toBeGreaterThan(0)
      }
    }
  })

  it('never draws the order for a search without a session', async () => {
    const { searchContext } = await search()
    expect((await read(searchContext.queryId)).data.exploration).toBeUndefined()
  })

  it('draws the order of a page for sessions, says how likely each place was, and loses no hit', async () => {
    const greedy = (await search()).hits.map(({ id }) => id)
    const orders = new Set<string>()
    // A dozen may well be the same.
    for (let n = 0; n < 100 && (n < 12 || orders.size === 1); n++) {
      const { hits, searchContext } = await search({ sessionId })
      expect(hits.map(({ id }) => id).sort()).toEqual([...greedy].sort())
      orders.add(hits.map(({ id }) => id).join())
      const { data } = await read(searchContext.queryId)
      expect(data.sessionId).toBe(sessionId)
      expect(data.exploration?.explored).toBe(true)
      for (const { propensity } of data.hits) {
        expect(propensity).toBeGreaterThan(0)
        expect(propensity).toBeLessThanOrEqual(1)
      }
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  it.each([{ from: 1 }, { sort: 'created' }, { explain: true }, { size: 101 }])(
    'does not draw with %o',
    async (more) => {
      const { searchContext } = await search({ sessionId, ...more })
      expect((await read(searchContext.queryId)).data.exploration).toBeUndefined()
    },
  )

  it('runs again with the same outcome while its view is held, a drawn one too', async () => {
    const { searchContext } = await search({ sessionId })
    const replay = await service.call<{ same: boolean; hits: object[] }>(
      'POST',
      `/nous/learn/searches/${searchContext.queryId}/replay`,
    )
    expect(replay.status).toBe(200)
    expect(replay.data.same).toBe(true)
    expect(replay.data.hits.length).toBeGreaterThan(3)
  })

  it('knows the positions of later pages', async () => {
    const first = await search({ size: 2 })
    const second = await search({ size: 2, cursor: first.nextCursor })
    const { data } = await read(second.searchContext.queryId)
    expect(data.hits.map(({ position }) => position)).toEqual([3, 4])
  })

  it('is one search of its session, whatever pages of it are read', async () => {
    const made = await service.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const own = { sessionId: made.data.sessionId, size: 2 }
    const { nextCursor: cursor } = await search(own)
    await search({ ...own, cursor })
    await search({ ...own, from: 2 })
    const path = `/cortex/sessions/${own.sessionId}/analytics`
    expect((await service.call<{ searches: number }>('GET', path)).data.searches).toBe(1)
  })

  it('tells what was added to scores, the most first, and runs again with it', async () => {
    const query = 'grinding beans'
    const id = 'beans/"1"'
    const document = { title: 'Beans', content: 'Grinding beans by hand' }
    await service.call('POST', '/cortex/documents', { index: 'coffee', id, document })
    const clicked = (await search({ query, sessionId })).searchContext.queryId
    const feedback = [{ queryId: clicked, rating: 1, metadata: { resultId: id } }]
    await service.call('POST', '/cortex/feedback', { sessionId, feedback })
    await service.call('GET', '/nous/learn/metrics')
    const later = (await search({ query })).searchContext.queryId
    const { added } = (await read(later)).data
    expect(added[0]).toMatchObject({ index: 'coffee', id })
    expect(added[0]?.value).toBeGreaterThan(0.1)
    const sizes = added.map(({ value }) => Math.abs(value))
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes.length).toBeGreaterThan(1)
    const path = `/nous/learn/searches/${later}/replay`
    expect((await service.call<{ same: boolean }>('POST', path)).data.same).toBe(true)
  })

  it('is 404 when nothing was shown under that id', async () => {
    const { status, code } = await read('01890000-0000-7000-8000-000000000000')
    expect([status, code]).toEqual([404, 'SEARCH_NOT_FOUND'])
  })

  it('names an index that is deleted by its number', async () => {
    const index = 'passing'
    const document = { title: 'Espresso, gone soon', content: 'espresso' }
    await service.call('POST', '/cortex/documents', { index, id: 'p', document })
    const { queryId } = (await search({ index, sessionId })).searchContext
    await service.call('DELETE', `/cortex/indices/${index}`)
    const { data } = await read(queryId)
    expect(data.hits[0]).toMatchObject({
      id: 'p',
      index: expect.stringMatching(/^#\d+ \(deleted\)$/),
    })
  })

  it('is not written when learning is off', async () => {
    await service.restart({ LEARNING: 'false' })
    const { searchContext } = await search({ sessionId })
    expect((await read(searchContext.queryId)).status).toBe(404)
    await service.restart({ LEARNING: 'true' })
  })
})
