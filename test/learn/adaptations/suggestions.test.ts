import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { suggestionKey } from '../../../src/learn/adaptations/suggestion-steps.ts'
import { MACHINES } from '../../../src/learn/states.ts'
import { countTurns } from '../../count-turns.ts'
import { showing } from '../impressions/parts.ts'
import { QUERY_HASH } from '../learner.ts'
import { DOCUMENTS, openWorkshop, type Workshop } from './workshop.ts'

const DAY_MS = 86_400_000
const low = { queryHash: 'h', patterns: { clickThroughRate: 0.01 } }
/** The service looks for changes of its own that often. */
const ROUND_MS = 30_000

/** Searches for one query by new users, each clicking at a place from 0. */
async function clickAt(shop: Workshop, place: number, times: number, more = {}) {
  for (let user = 0; user < times; user += 1) {
    const session = await shop.session()
    const queryId = shop.searchIn(session, more)
    await shop.log.flush()
    await shop.tell(session, queryId, DOCUMENTS[place]!)
  }
}

interface Words {
  first?: string
  second?: string
  /** One person, in session after session; else another one each time. */
  userId?: string
  /** The first found something, and nobody clicked it. */
  found?: boolean
}

/** A query that finds nothing, put in other words and then clicked. */
async function reformulate(shop: Workshop, times: number, words: Words = {}) {
  const { first = 'cheap telly', second = 'cheap television', userId, found = false } = words
  for (let user = 0; user < times; user += 1) {
    const session = await shop.session(userId)
    const hash = (query: string) =>
      words.first === undefined ? undefined : query.replace(' ', '-')
    const before = { query: first, queryHash: hash(first) ?? 'first' }
    shop.searchIn(session, found ? before : { ...before, total: 0, ...showing([]) })
    await shop.log.flush()
    shop.clock.nowMs += 5000
    const after = { query: second, queryHash: hash(second) ?? 'second' }
    const queryId = shop.searchIn(session, { ...after, timeMs: shop.clock.nowMs })
    await shop.log.flush()
    await shop.tell(session, queryId, 'a')
  }
}

/** The synonyms that the service suggests, of what people did. */
async function synonymsAfter(act: (shop: Workshop) => Promise<unknown>) {
  const shop = openWorkshop()
  await act(shop)
  await shop.pass(ROUND_MS)
  const { suggestions } = await shop.suggestions({ source: ['service'] })
  return suggestions.flatMap(({ rule }) => {
    const { synonyms = [] } = rule!.changes as { synonyms?: string[][] }
    return synonyms
  })
}

it('what was suggested has one key, whatever the order of its words, and the same in later versions', () => {
  const patterns = { requiresOptimization: true, averageRelevance: 0.2, more: [{ b: 1, a: null }] }
  const other = { more: [{ a: null, b: 1 }], averageRelevance: 0.2, requiresOptimization: true }
  const key = '8ce2e8c5c96e1153506d5f63f8fc0b701afc0ad62d9639d2acd14c112b097509'
  const keyOf = (said: object) => suggestionKey(['4b2268864381bc18', said, 0.9])
  expect(keyOf(patterns)).toBe(key)
  expect(keyOf(other)).toBe(key)
  expect(keyOf({ ...patterns, averageRelevance: 0.3 })).not.toBe(key)
})

describe('a suggestion', () => {
  it('is accepted with a rule when its confidence suffices, else rejected', async () => {
    const shop = openWorkshop()
    const { adaptations } = shop
    const accepted = await adaptations.suggest({ ...low, confidence: 0.7 })
    expect(accepted).toMatchObject({ status: 'ACCEPTED', source: 'client', kind: 'suggested' })
    expect(accepted.rule).toMatchObject({
      queryHash: 'h',
      changes: { legWeights: { text: 0.85, vector: 0.15 } },
      suggestionId: accepted.suggestionId,
    })
    const rejected = await adaptations.suggest({ ...low, confidence: 0.69 })
    expect(rejected).toMatchObject({ status: 'REJECTED', rule: null })
    expect(await shop.rules({ queryHash: 'h' })).toMatchObject({ total: 1 })
  })

  it('is one, however often it comes and in whatever order its keys stand', async () => {
    const shop = openWorkshop()
    const { adaptations } = shop
    const patterns = { clickThroughRate: 0.01, averageRelevance: 0.2 }
    const turned = { averageRelevance: 0.2, clickThroughRate: 0.01 }
    const sent = { queryHash: 'h', confidence: 0.9 }
    const both = await Promise.all([
      adaptations.suggest({ ...sent, patterns }),
      adaptations.suggest({ ...sent, patterns: turned }),
    ])
    expect(both[1]).toEqual(both[0])
    expect((await adaptations.suggest({ ...sent, patterns })).suggestionId).toBe(
      both[0].suggestionId,
    )
    const other = await adaptations.suggest({ ...sent, patterns, confidence: 0.91 })
    expect(other.suggestionId).not.toBe(both[0].suggestionId)
    expect((await shop.suggestions()).total).toBe(2)
  })

  it('waits while there is nothing to judge it by, and is judged when there is', async () => {
    const shop = openWorkshop()
    const sent = { queryHash: QUERY_HASH, confidence: 0.9 }
    const patterns = { requiresOptimization: true }
    const waiting = await shop.adaptations.suggest({ ...sent, patterns })
    expect(waiting).toMatchObject({ status: 'PENDING', rule: null })
    await clickAt(shop, 2, 12)
    await shop.pass(ROUND_MS)
    const [judged] = (await shop.suggestions({ queryHash: QUERY_HASH })).suggestions
    expect(judged).toMatchObject({
      suggestionId: waiting.suggestionId,
      status: 'ACCEPTED',
      rule: { changes: { boosts: [{ id: 'c', index: 'shop', value: 0.2 }] } },
    })
  })

  it('is applied with its rule, and then no longer expires', async () => {
    const shop = openWorkshop()
    const { suggestionId, rule } = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const changes = rule!.changes as Record<string, unknown>
    const applied = await shop.apply(changes, { type: 'rules', suggestionId, immediate: true })
    expect(applied).toMatchObject({ queryHash: 'h', suggestionId, ruleId: rule!.ruleId })
    await shop.pass(8 * DAY_MS)
    expect(await shop.suggestions({ status: ['applied'] })).toMatchObject({
      total: 1,
      suggestions: [{ suggestionId }],
    })
  })

  it('expires after seven days, and may then be made anew', async () => {
    const shop = openWorkshop()
    const first = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    await shop.pass(7 * DAY_MS)
    expect((await shop.suggestions()).suggestions[0]?.status).toBe('ACCEPTED')
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).suggestions[0]?.status).toBe('EXPIRED')
    const refused = { code: 'INVALID_TRANSITION' }
    await expect(
      shop.apply({ fusion: 'rrf' }, { suggestionId: first.suggestionId }),
    ).rejects.toMatchObject(refused)
    const again = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    expect(again.suggestionId).not.toBe(first.suggestionId)
    await shop.pass(31 * DAY_MS)
    expect((await shop.suggestions()).total).toBe(1)
  })

  it('is made anew from its end on, also when no round has ended it yet', async () => {
    const shop = openWorkshop()
    const suggest = () => shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const first = await suggest()
    shop.clock.nowMs += 7 * DAY_MS
    expect((await suggest()).suggestionId).toBe(first.suggestionId)
    shop.clock.nowMs += 1
    const [again, twice] = await Promise.all([suggest(), suggest()])
    expect(again).toMatchObject({ status: 'ACCEPTED', suggestionId: twice.suggestionId })
    expect(again.suggestionId).not.toBe(first.suggestionId)
    await shop.pass(0)
    expect((await shop.suggestions()).suggestions.map(({ status }) => status)).toEqual([
      ...['ACCEPTED', 'EXPIRED'],
    ])
    expect((await suggest()).suggestionId).toBe(again.suggestionId)
  })

  it('expires at its time after the clock was set back', async () => {
    const shop = openWorkshop()
    await shop.pass(365 * DAY_MS)
    await shop.pass(-365 * DAY_MS)
    await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    await shop.pass(7 * DAY_MS + 1)
    expect(shop.eventTypes()).toContain('SUGGESTION_EXPIRED')
  })

  it('is over from its end on, also when no round has noted it yet', async () => {
    const shop = openWorkshop()
    const { suggestionId } = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const [before] = (await shop.suggestions({ status: ['accepted'] })).suggestions
    shop.clock.nowMs += 7 * DAY_MS + 1
    expect((await shop.suggestions({ status: ['accepted'] })).total).toBe(0)
    expect(await shop.suggestions({ status: ['expired'] })).toMatchObject({
      total: 1,
      suggestions: [{ suggestionId, status: 'EXPIRED', reason: 'nobody applied it in time' }],
    })
    await expect(shop.apply({ fusion: 'rrf' }, { suggestionId })).rejects.toMatchObject({
      code: 'INVALID_TRANSITION',
    })
    await shop.pass(0)
    const [after] = (await shop.suggestions()).suggestions
    expect(after).toMatchObject({ suggestionId, status: 'EXPIRED', rule: before?.rule })
  })

  it('that is applied just when it would expire stays applied', async () => {
    const shop = openWorkshop()
    const { suggestionId, rule } = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const changes = rule!.changes as Record<string, unknown>
    shop.clock.nowMs += 7 * DAY_MS
    await Promise.all([
      shop.apply(changes, { type: 'rules', suggestionId, immediate: true }),
      shop.adaptations.tick(shop.clock.nowMs + 1),
    ])
    expect((await shop.suggestions()).suggestions[0]?.status).toBe('APPLIED')
    expect(shop.eventTypes()).not.toContain('SUGGESTION_EXPIRED')
  })

  it('that is applied just when it is judged keeps the change that was made of it', async () => {
    const shop = openWorkshop()
    const sent = { queryHash: QUERY_HASH, confidence: 0.9 }
    const patterns = { requiresOptimization: true }
    const { suggestionId } = await shop.adaptations.suggest({ ...sent, patterns })
    await clickAt(shop, 2, 12)
    await shop.loop.caughtUp()
    shop.clock.nowMs += ROUND_MS
    await Promise.all([
      shop.apply({ fusion: 'rrf' }, { suggestionId, immediate: true }),
      shop.adaptations.tick(shop.clock.nowMs),
    ])
    const { suggestions } = await shop.suggestions({ queryHash: QUERY_HASH, source: ['client'] })
    expect(suggestions).toMatchObject([{ suggestionId, status: 'APPLIED', rule: null }])
  })

  it('is read again only when something may be due', async () => {
    const shop = openWorkshop()
    const { suggestions } = shop.store.tables
    for (let n = 0; n < 20; n += 1)
      await shop.adaptations.suggest({ ...low, queryHash: `q${n}`, confidence: n < 10 ? 0.9 : 0.1 })
    await shop.pass(ROUND_MS)
    const reads = [vi.spyOn(suggestions, 'get'), vi.spyOn(suggestions, 'range')]
    onTestFinished(() => {
      for (const read of reads) read.mockRestore()
    })
    await shop.pass(ROUND_MS)
    await shop.pass(6 * DAY_MS)
    expect(reads.map((read) => read.mock.calls)).toEqual([[], []])
    await shop.pass(DAY_MS)
    expect(await shop.suggestions({ status: ['expired'] })).toMatchObject({ total: 10 })
    expect(await shop.suggestions({ status: ['rejected'] })).toMatchObject({ total: 10 })
  })

  it('is kept from its end on for as long as anything, also what was to expire later', async () => {
    const shop = openWorkshop({ RETENTION_MS: `${DAY_MS}` })
    const { suggestionId, rule } = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    await shop.pass(ROUND_MS)
    await shop.apply(rule!.changes as Record<string, unknown>, { suggestionId, immediate: true })
    await shop.pass(DAY_MS)
    expect(await shop.suggestions()).toMatchObject({ total: 1 })
    await shop.pass(ROUND_MS)
    expect(await shop.suggestions()).toMatchObject({ total: 0 })
  })

  it('goes with its rule where nobody applied it; what was applied stays a rule', async () => {
    const shop = openWorkshop({ RETENTION_MS: `${DAY_MS}` })
    const own = await shop.adaptations.createRule({ changes: { pins: ['b'] } })
    const applied = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const changes = applied.rule!.changes as Record<string, unknown>
    await shop.apply(changes, { suggestionId: applied.suggestionId, immediate: true })
    const unused = await shop.adaptations.suggest({ ...low, queryHash: 'two', confidence: 0.9 })
    const ids = async () => (await shop.rules()).rules.map(({ ruleId }) => ruleId)
    const lasting = [applied.rule!.ruleId, own.ruleId]
    await shop.pass(7 * DAY_MS + 1)
    expect(await ids()).toEqual([unused.rule!.ruleId, ...lasting])
    await shop.pass(DAY_MS + 1)
    expect(await shop.suggestions()).toMatchObject({ total: 0 })
    expect(await ids()).toEqual(lasting)
  })

  it('goes when it is one of too many, the oldest first', async () => {
    const shop = openWorkshop()
    const first = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const count = vi.spyOn(shop.store.tables.suggestions, 'count').mockReturnValue(10_001)
    const second = await shop.adaptations.suggest({ ...low, queryHash: 'two', confidence: 0.9 })
    await shop.pass(ROUND_MS)
    count.mockRestore()
    expect(first.suggestionId < second.suggestionId).toBe(true)
    const { suggestionId } = second
    expect(await shop.suggestions()).toMatchObject({ total: 1, suggestions: [{ suggestionId }] })
  })

  it('is known to time after a start, too', async () => {
    const shop = openWorkshop()
    await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    const next = await shop.reopen()
    await next.pass(8 * DAY_MS)
    expect(await next.suggestions({ status: ['expired'] })).toMatchObject({ total: 1 })
  })

  it('names what it wants to know', async () => {
    const { adaptations, apply } = openWorkshop()
    await expect(
      adaptations.suggest({ queryHash: 'h', patterns: { mood: 1 } as object, confidence: 1 }),
    ).rejects.toMatchObject({ details: [{ path: 'patterns' }] })
    await expect(apply({ fusion: 'rrf' }, { suggestionId: 'none' })).rejects.toMatchObject({
      code: 'SUGGESTION_NOT_FOUND',
    })
    await expect(apply({ fusion: 'rrf' }, { ruleId: 'none' })).rejects.toMatchObject({
      code: 'RULE_NOT_FOUND',
    })
  })

  it('only goes where the table of statuses lets it', async () => {
    const shop = openWorkshop()
    const { suggestionId } = await shop.adaptations.suggest({ ...low, confidence: 0.9 })
    shop.clock.nowMs += 1
    await shop.adaptations.suggest({ ...low, confidence: 0.1 })
    shop.clock.nowMs += 1
    await shop.adaptations.suggest({
      ...{ queryHash: 'i', confidence: 0.9 },
      patterns: { neutralPatterns: ['x'] },
    })
    await shop.apply({ fusion: 'rrf' }, { suggestionId })
    shop.clock.nowMs += 1
    await shop.adaptations.suggest({ ...low, queryHash: 'j', confidence: 0.9 })
    await shop.pass(8 * DAY_MS)
    const statuses = (await shop.suggestions()).suggestions.map(({ status }) => status)
    expect(statuses).toEqual(['EXPIRED', 'EXPIRED', 'REJECTED', 'APPLIED'])
    expect(Object.keys(MACHINES.suggestion)).toEqual(expect.arrayContaining(statuses))
    expect(shop.eventTypes().filter((type) => type.startsWith('SUGGESTION_'))).toEqual([
      ...['SUGGESTION_RECEIVED', 'SUGGESTION_ACCEPTED', 'SUGGESTION_RECEIVED'],
      ...['SUGGESTION_REJECTED', 'SUGGESTION_RECEIVED', 'SUGGESTION_APPLIED'],
      ...['SUGGESTION_RECEIVED', 'SUGGESTION_ACCEPTED'],
      ...['SUGGESTION_EXPIRED', 'SUGGESTION_EXPIRED'],
    ])
  })
})

describe('what the service suggests itself', () => {
  it('is to lift the document that searchers look for far down', async () => {
    const shop = openWorkshop()
    await clickAt(shop, 6, 8)
    await clickAt(shop, 0, 1)
    await shop.pass(ROUND_MS)
    const { suggestions } = await shop.suggestions({ source: ['service'] })
    expect(suggestions).toMatchObject([
      {
        kind: 'click_far_down',
        status: 'PENDING',
        queryHash: QUERY_HASH,
        rule: { changes: { pins: [{ id: 'g', index: 'shop' }] }, source: 'service' },
        evidence: { clicked: 9, searches: 9, clickPosition: expect.closeTo(57 / 9, 4) },
      },
    ])
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).total).toBe(1)
    const { suggestionId, rule } = suggestions[0]!
    await shop.apply(rule!.changes as Record<string, unknown>, { suggestionId, immediate: true })
    expect((await shop.suggestions()).suggestions[0]?.status).toBe('APPLIED')
  })

  it('is to lift nothing whose index was deleted since', async () => {
    const shop = openWorkshop()
    const shownIn = (indexId: number) =>
      showing(DOCUMENTS.map((id, at) => ({ indexId, id, score: 1 - at / 100 })))
    await clickAt(shop, 6, 8, shownIn(3))
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).total).toBe(0)
    await clickAt(shop, 6, 4, shownIn(2))
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).suggestions).toMatchObject([
      { rule: { changes: { pins: [{ id: 'g', index: 'other' }] } } },
    ])
  })

  it('is a synonym where people found nothing and then put it in other words', async () => {
    const shop = openWorkshop()
    await reformulate(shop, 4)
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions({ queryHash: 'first' })).suggestions).toMatchObject([
      {
        kind: 'zero_result_reformulated',
        rule: { changes: { synonyms: [['telly => television']] } },
        evidence: { count: 4, fromNothing: 4, clicked: 4, toQuery: 'cheap television' },
      },
    ])
  })

  it('lifts nothing where one person alone asks, however often', async () => {
    const shop = openWorkshop()
    for (let again = 0; again < 12; again += 1) {
      const session = await shop.session('one')
      const queryId = shop.searchIn(session)
      await shop.log.flush()
      await shop.tell(session, queryId, DOCUMENTS[4]!)
    }
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).suggestions).toEqual([])
    await clickAt(shop, 4, 1)
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).suggestions).toMatchObject([{ kind: 'click_far_down' }])
  })

  it('is no synonym where one person alone puts it so', async () => {
    expect(await synonymsAfter((shop) => reformulate(shop, 6, { userId: 'one' }))).toEqual([])
  })

  it('is one of queries without a common word only where many of those who asked went on', async () => {
    const words = { first: 'telly', second: 'television' }
    expect(await synonymsAfter((shop) => reformulate(shop, 4, words))).toEqual([
      ['telly => television'],
    ])
    const others = (shop: Workshop) => clickAt(shop, 0, 12, { query: 'telly', queryHash: 'telly' })
    const both = async (shop: Workshop) => [await others(shop), await reformulate(shop, 4, words)]
    expect(await synonymsAfter(both)).toEqual([])
    const shared = { first: 'telly stand', second: 'television stand' }
    const rest = async (shop: Workshop) => {
      await clickAt(shop, 0, 12, { query: shared.first, queryHash: 'telly-stand' })
      await reformulate(shop, 4, shared)
    }
    expect(await synonymsAfter(rest)).toEqual([['telly => television']])
  })

  it('is none of what people compare, going back and forth', async () => {
    const there = { first: 'red shoes', second: 'blue shoes' }
    const back = { first: there.second, second: there.first }
    const compare = async (shop: Workshop) => {
      await reformulate(shop, 12, { ...there, found: true })
      await reformulate(shop, 9, { ...back, found: true })
    }
    expect(await synonymsAfter(compare)).toEqual([])
    expect(await synonymsAfter((shop) => reformulate(shop, 12, { ...there, found: true }))).toEqual(
      [['red => blue']],
    )
  })

  it('is nothing where clicks are few or lie high', async () => {
    const shop = openWorkshop()
    await clickAt(shop, 6, 4)
    await clickAt(shop, 1, 10, { queryHash: 'other' })
    await reformulate(shop, 2)
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).total).toBe(0)
  })

  it('is taken back for queries of somebody forgotten, and comes again while others say so', async () => {
    const shop = openWorkshop()
    await reformulate(shop, 4)
    await shop.pass(ROUND_MS)
    await shop.adaptations.withdraw(new Set(['other']))
    expect((await shop.suggestions()).total).toBe(1)
    await shop.adaptations.withdraw(new Set(['first']))
    expect((await shop.suggestions()).total).toBe(0)
    expect((await shop.rules()).total).toBe(0)
    await shop.pass(ROUND_MS)
    expect((await shop.suggestions()).total).toBe(1)
    await shop.pass(8 * DAY_MS)
    expect((await shop.suggestions()).suggestions[0]?.status).toBe('EXPIRED')
    await shop.adaptations.withdraw(new Set(['first']))
    expect((await shop.suggestions()).total).toBe(0)
  })

  it('is taken back while it expires, but not while somebody applies it', async () => {
    const shop = openWorkshop()
    await reformulate(shop, 4)
    await shop.pass(ROUND_MS)
    shop.clock.nowMs += 8 * DAY_MS
    await Promise.all([
      shop.adaptations.tick(shop.clock.nowMs),
      shop.adaptations.withdraw(new Set(['first'])),
    ])
    expect((await shop.suggestions()).total).toBe(0)
    await reformulate(shop, 4)
    await shop.pass(ROUND_MS)
    const [offered] = (await shop.suggestions({ queryHash: 'first' })).suggestions
    const { suggestionId, rule } = offered!
    const changes = rule!.changes as Record<string, unknown>
    await Promise.all([
      shop.apply(changes, { suggestionId, immediate: true }),
      shop.adaptations.withdraw(new Set(['first'])),
    ])
    expect((await shop.suggestions()).suggestions).toMatchObject([
      { suggestionId, status: 'APPLIED' },
    ])
  })
})

describe('very many suggestions', () => {
  const MANY = 500

  /** Transactions that are begun until the test ends, each with how many rows it changed. */
  function watchWrites({ store }: Workshop): () => number[] {
    const { suggestions } = store.tables
    const changes = [vi.spyOn(suggestions, 'put'), vi.spyOn(suggestions, 'remove')]
    const count = () => changes.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    const sizes: number[] = []
    const { write } = store
    const spy = vi.spyOn(store, 'write').mockImplementation((work) =>
      write(() => {
        const before = count()
        const done = work()
        sizes.push(count() - before)
        return done
      }),
    )
    onTestFinished(() => {
      for (const each of [spy, ...changes]) each.mockRestore()
    })
    return () => sizes.filter((size) => size > 0)
  }
  async function suggestMany(shop: Workshop): Promise<void> {
    const sent = { ...low, confidence: 0.9 }
    await Promise.all(
      Array.from({ length: MANY }, (_, n) =>
        shop.adaptations.suggest({ ...sent, queryHash: `q${n}` }),
      ),
    )
  }

  it('expire and go in many transactions: nothing else runs during one', async () => {
    const shop = openWorkshop()
    await suggestMany(shop)
    const sizes = watchWrites(shop)
    await shop.pass(8 * DAY_MS)
    expect(await shop.suggestions({ status: ['expired'] })).toMatchObject({ total: MANY })
    await shop.pass(40 * DAY_MS)
    expect(await shop.suggestions()).toMatchObject({ total: 0 })
    expect(sizes().reduce((sum, size) => sum + size, 0)).toBe(2 * MANY)
    expect(Math.max(...sizes())).toBeLessThanOrEqual(100)
  })

  it('are looked through, and taken back, while others have their turns', async () => {
    const shop = openWorkshop()
    await suggestMany(shop)
    const { suggestions } = shop.store.tables
    await shop.store.write(() => {
      for (const { key, value } of [...suggestions.range()])
        suggestions.put(key, { ...value, source: 'service', status: 'PENDING' })
    })
    const sizes = watchWrites(shop)
    const { turns } = await countTurns(() => shop.adaptations.withdraw({ has: () => false }))
    expect(turns).toBeGreaterThan(MANY / 10)
    await shop.adaptations.withdraw({ has: (queryHash) => queryHash !== 'q7' })
    expect(await shop.suggestions()).toMatchObject({ total: 1, suggestions: [{ queryHash: 'q7' }] })
    expect(Math.max(...sizes())).toBeLessThanOrEqual(100)
  })
})

it('patterns of any length are written as JSON a part at a time, and read for the answer alone', async () => {
  const shop = openWorkshop()
  const own = Array.from({ length: 20_000 }, () => ({ none: null }))
  const patterns = { ...low.patterns, own }
  const whole = JSON.stringify(patterns)
  const stringify = vi.spyOn(JSON, 'stringify')
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => {
    stringify.mockRestore()
    parse.mockRestore()
  })
  const sent = { queryHash: 'h', patterns, confidence: 0.9 }
  const shown = (await shop.adaptations.suggest(sent)) as { patterns: object }
  const longest = Math.max(...stringify.mock.results.map(({ value }) => value?.length ?? 0))
  expect(longest).toBeLessThan(whole.length / 2)
  expect(parse.mock.calls.filter(([text]) => text.length >= whole.length)).toHaveLength(1)
  expect(shown.patterns).toEqual(patterns)
})
