import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

let running: RunningApp
const call = (method: string, path: string, body?: unknown) =>
  running.call<Data>(method, `/nous${path}`, body)

beforeAll(async () => {
  running = await startApp({ EXPLORATION_SHARE: '0', ADAPTATION_CANARY_SHARE: '0.5' })
  const documents = ['one', 'two', 'three', 'four'].map((id, at) => ({
    index: 'ranked',
    id,
    document: { title: `coffee ${id}`, content: `${'coffee '.repeat(4 - at)} beans` },
  }))
  await running.call('POST', '/cortex/documents/bulk', { documents })
})
afterAll(() => running.close())

async function search(more: Data = {}): Promise<{ ids: string[]; context: Data }> {
  const words = { query: 'coffee', index: 'ranked', searchType: 'text', ...more }
  const { data, status, error } = await running.call<Data>('POST', '/cortex/search', words)
  expect(status, error).toBe(200)
  return { ids: data.hits.map(({ id }: { id: string }) => id), context: data.searchContext }
}

async function session(): Promise<string> {
  const { data } = await running.call<Data>('POST', '/cortex/sessions', {})
  return data.sessionId
}

async function apply(changes: unknown, more: Data = {}): Promise<Data> {
  const answered = await call('POST', '/adapt/apply', { type: 'ranking', changes, ...more })
  expect(answered.status, answered.error).toBe(200)
  return answered.data
}

const rollBack = (id: string) => call('POST', `/adaptations/${id}/rollback`, { reason: 'done' })

describe('an applied change', () => {
  it('decides the next search, and its rollback brings back the very order', async () => {
    const before = await search()
    const pins = before.ids.slice(-1)
    const change = await apply({ pins }, { immediate: true, source: 'a test', confidence: 0.9 })
    expect(change).toMatchObject({
      ...{ status: 'ACTIVE', source: 'a test', confidence: 0.9, changes: { pins } },
      metrics: { with: { searches: 0, ctr: null } },
      rollbackPlan: { targetVersion: change.version - 1, automatic: true },
    })
    const during = await search()
    expect(during.ids[0]).toBe(pins[0])
    expect(during.context.adaptations).toEqual([`${change.adaptationId}@${change.version}`])
    const rolled = await rollBack(change.adaptationId)
    expect(rolled.data).toMatchObject({ status: 'ROLLED_BACK', restored: { kept: [] } })
    const after = await search()
    expect(after.ids).toEqual(before.ids)
    expect(after.context.adaptations).toEqual([])
    expect((await rollBack(change.adaptationId)).code).toBe('INVALID_TRANSITION')
  })

  it('is for the query of its hash, in whatever case that is written', async () => {
    const before = await search()
    const queryHash = before.context.queryHash.toUpperCase()
    const pins = before.ids.slice(-1)
    const ways: [unknown, Data][] = [
      [{ pins }, { queryHash }],
      [{ pins, queryHash }, {}],
    ]
    for (const [changes, more] of ways) {
      const change = await apply(changes, { ...more, immediate: true })
      expect(change.queryHash).toBe(before.context.queryHash)
      expect((await search()).ids[0]).toBe(pins[0])
      await rollBack(change.adaptationId)
    }
    const rule = await call('POST', '/adapt/rules', { changes: { pins }, queryHash })
    const patterns = { positivePatterns: ['title'] }
    const suggestion = { patterns, queryHash, confidence: 0.9 }
    const suggested = await call('POST', '/adapt/suggest', suggestion)
    const lower = { ...suggestion, queryHash: before.context.queryHash }
    const again = await call('POST', '/adapt/suggest', lower)
    expect(again.data.suggestionId).toBe(suggested.data.suggestionId)
    expect([rule.data.queryHash, suggested.data.queryHash]).toEqual([
      before.context.queryHash,
      before.context.queryHash,
    ])
    for (const list of ['/adaptations', '/adapt/rules', '/adapt/suggestions']) {
      const listed = await call('GET', `${list}?queryHash=${queryHash}`)
      expect(listed.data.total, list).toBeGreaterThan(0)
    }
  })

  it('says so when its hash is that of no query', async () => {
    const told = /^queryHash: no query has this hash/
    for (const queryHash of ['coffee', '9f86d081884c7d6', 'g'.repeat(16)]) {
      const change = await apply({ pins: ['one'] }, { queryHash, immediate: true })
      expect(change.warnings, queryHash).toEqual([expect.stringMatching(told)])
      const rule = await call('POST', '/adapt/rules', { changes: { pins: ['one'] }, queryHash })
      expect(rule.data.warnings).toEqual([expect.stringMatching(told)])
      await rollBack(change.adaptationId)
    }
    const change = await apply({ pins: ['one'] }, { queryHash: '9f86d081884c7d65' })
    expect(change.warnings).toBeUndefined()
    await rollBack(change.adaptationId)
  })

  it('pins in the order of its list what another change pins, too', async () => {
    const before = await search()
    const { queryHash } = before.context
    const [, , second, first] = before.ids
    const wide = await apply({ pins: [second, second] }, { immediate: true })
    const narrow = await apply({ pins: [first, second] }, { immediate: true, queryHash })
    expect((await search()).ids.slice(0, 2)).toEqual([first, second])
    for (const { adaptationId } of [narrow, wide]) await rollBack(adaptationId)
    const many = Array.from({ length: 30 }, () => ({ id: second, value: 100 }))
    const boosted = await apply({ pins: [first], boosts: many }, { immediate: true })
    expect((await search()).ids.slice(0, 2)).toEqual([first, second])
    await rollBack(boosted.adaptationId)
    expect((await search()).ids).toEqual(before.ids)
  })

  it('pins above a model that ranks, and boosts before it, unless it sends the model away', async () => {
    const before = await search()
    const scaler = { mean: [0], std: [1] }
    const state = { weights: [-1], bias: 0, featureNames: ['textScore'], scaler }
    await call('POST', '/learn/models/sync', { modelId: 'upside-down', state, activate: true })
    const ranked = before.ids.toReversed()
    const last = before.ids[0]!
    const firstWith = async (changes: Data) => {
      const { adaptationId } = await apply(changes, { immediate: true })
      const { ids } = await search()
      await rollBack(adaptationId)
      return ids[0]
    }
    expect((await search()).ids).toEqual(ranked)
    expect(await firstWith({ boosts: { [last]: 50 } })).toBe(ranked[0])
    expect(await firstWith({ pins: [last] })).toBe(last)
    expect(await firstWith({ boosts: { [ranked[1]!]: 50 }, model: null })).toBe(ranked[1])
    await call('POST', '/learn/models/upside-down/rollback')
    expect((await search()).ids).toEqual(before.ids)
  })

  it('is in canary first, for some units and always for the same', async () => {
    const before = await search()
    const change = await apply({ boosts: { [before.ids.at(-1)!]: 2 } })
    expect(change.status).toBe('CANARY')
    expect((await search()).ids).toEqual(before.ids)
    const orders = new Set<string>()
    // A dozen may well be all of one side.
    for (let unit = 0; unit < 100 && (unit < 12 || orders.size === 1); unit += 1) {
      const sessionId = await session()
      const first = await search({ sessionId })
      expect((await search({ sessionId })).ids).toEqual(first.ids)
      const has = first.context.adaptations.length === 1
      expect(first.ids[0]).toBe(has ? before.ids.at(-1) : before.ids[0])
      orders.add(first.ids.join())
    }
    expect(orders.size).toBe(2)
    const { data } = await call('GET', `/adaptations/${change.adaptationId}`)
    expect(data.metrics.with.searches + data.metrics.without.searches).toBeGreaterThanOrEqual(24)
    const conflict = { type: 'ranking', changes: { boosts: { one: 1 } } }
    const again = await call('POST', '/adaptations', conflict)
    expect([again.status, again.code]).toEqual([409, 'ADAPTATION_CONFLICT'])
    await rollBack(change.adaptationId)
  })

  it('that does harm takes itself back, and the order is the very same again', async () => {
    const before = await search()
    const change = await apply(
      { minScore: 1e6 },
      {
        immediate: true,
        rollbackTriggers: [
          { metric: 'zeroResultRate', operator: '>', threshold: 0.5, window: '5m', minSamples: 5 },
        ],
      },
    )
    expect((await search()).ids).toEqual([])
    for (let again = 0; again < 4; again += 1) await search()
    await waitUntil(async () => {
      const { data } = await call('GET', `/adaptations/${change.adaptationId}`)
      return data.status === 'ROLLED_BACK'
    })
    expect(await search()).toMatchObject({ ids: before.ids, context: { adaptations: [] } })
    const { data } = await call('GET', `/learn/events?adaptationId=${change.adaptationId}`)
    const [event] = data.events.filter(({ type }: Data) => type === 'ADAPTATION_ROLLED_BACK')
    expect(event).toMatchObject({
      status: 'ROLLED_BACK',
      priority: 'HIGH',
      data: { figures: { metric: 'zeroResultRate', value: 1 } },
    })
  })

  it('adds words that mean the same, also where every word must be there', async () => {
    const titles = ['owl flies', 'strix flies', 'ural owl hunts', 'tawny bird hunts']
    for (const [at, title] of titles.entries())
      await running.must('PUT', `/cortex/documents/o${at}?index=owls`, { title })
    const find = async (query: string, more: object = {}) => {
      const body = { index: 'owls', query, searchType: 'text', ...more }
      const { hits } = await running.must<{ hits: { id: string }[] }>(
        'POST',
        '/cortex/search',
        body,
      )
      return hits.map(({ id }) => id).sort()
    }
    const synonyms = ['owl, strix', 'ural owl => tawny bird']
    const change = await apply({ synonyms }, { immediate: true })
    expect(await find('owl flies', { operator: 'and' })).toEqual(['o0', 'o1'])
    expect(await find('strix flies', { phrase: true })).toEqual(['o0', 'o1'])
    expect(await find('"owl flies"')).toEqual(['o0', 'o1'])
    expect(await find('ural owl hunts', { operator: 'and' })).toEqual(['o2', 'o3'])
    expect(await find('tawny bird hunts', { operator: 'and' })).toEqual(['o3'])
    await rollBack(change.adaptationId)
    expect(await find('owl flies', { operator: 'and' })).toEqual(['o0'])
  })

  it('tells what inside of a setting it does not read, and refuses a rule that is none', async () => {
    const change = await apply(
      { pins: [{ id: 'one', position: 2 }], boosts: [{ id: 'two', weight: 5 }] },
      { immediate: true },
    )
    expect(change.warnings).toEqual([
      'Kept, but no setting of the ranking: pins[0].position (pins stand in the order of the list, and have id and index), boosts[0].weight (a boost has id, index, and value: the number to add).',
    ])
    expect(change.tuning).toEqual({ pins: [{ id: 'one' }], boosts: [{ id: 'two', value: 0.1 }] })
    await rollBack(change.adaptationId)
    const sent = { type: 'ranking', changes: { synonyms: ['a, b', 'a =>'] } }
    expect(await running.call('POST', '/nous/adapt/apply', sent)).toMatchObject({
      ...{ status: 400, details: [{ path: 'changes.synonyms[1]' }] },
    })
  })

  it('never breaks a search, whatever it names', async () => {
    const before = await search()
    const change = await apply(
      {
        ...{ fieldWeights: { nowhere: 3, title: 2 }, pins: ['gone', { id: 'one', index: 'gone' }] },
        ...{ synonyms: [['gone', 'x'], ['nowhere => x']], boosts: { gone: 5 }, model: 'gone' },
      },
      { immediate: true },
    )
    expect(change.warnings[0]).toContain('model')
    expect((await search()).ids.sort()).toEqual(before.ids.sort())
    expect((await search({ searchType: 'hybrid' })).ids.length).toBeGreaterThan(0)
    await rollBack(change.adaptationId)
  })

  it('survives a restart', async () => {
    const change = await apply({ pins: ['three'] }, { immediate: true })
    await running.restart()
    expect((await search()).ids[0]).toBe('three')
    await rollBack(change.adaptationId)
    expect((await search()).ids[0]).not.toBe('three')
  })

  it('is listed, newest first, by status and type', async () => {
    const change = await apply({ fusion: 'rrf' }, { type: 'Thresholds', queryHash: 'listed' })
    const all = await call('GET', '/adaptations?limit=2')
    expect(all.data).toMatchObject({ limit: 2, adaptations: [{ type: 'Thresholds' }, {}] })
    expect(all.data.total).toBeGreaterThan(2)
    const chosen = await call('GET', '/adaptations?status=canary&type=thresholds&queryHash=listed')
    expect(chosen.data.adaptations).toMatchObject([{ adaptationId: change.adaptationId }])
    expect((await call('GET', '/adaptations?status=ACTIVE')).data.total).toBe(0)
    const { data } = await call('GET', `/adaptations/${change.adaptationId}`)
    expect(data.history.map(({ status }: Data) => status)).toEqual([
      ...['PENDING', 'VALIDATING', 'CANARY'],
    ])
    expect(data.versions).toMatchObject([{ version: change.version, reason: 'APPLIED' }])
  })

  it.each([
    [{ changes: { a: 1 } }, 'type'],
    [{ type: '', changes: { a: 1 } }, 'type'],
    [{ type: 'x' }, 'changes'],
    [{ type: 'x', changes: {} }, 'changes'],
    [{ type: 'x', changes: [] }, 'changes'],
    [{ type: 'x', changes: 'fast' }, 'changes'],
    [{ type: 'x', changes: { a: 1, queryHash: 7 } }, 'changes.queryHash'],
    [{ type: 'x', changes: { a: 1 }, confidence: 2 }, 'confidence'],
    [
      {
        type: 'x',
        changes: { a: 1 },
        rollbackTriggers: [{ metric: 'ctr', operator: 'near', threshold: 1 }],
      },
      'rollbackTriggers[0].operator',
    ],
    [
      { type: 'x', changes: { a: 1 }, acceptanceThresholds: { ctr: 'high' } },
      'acceptanceThresholds.ctr',
    ],
    [
      {
        ...{ type: 'x', changes: { a: 1 } },
        ...{ acceptanceThresholds: { ctr: 0.5 }, validationMetrics: { ctr: '0.4' } },
      },
      'validationMetrics.ctr',
    ],
    [{ type: 'x', changes: { a: 1 }, validationMetrics: 'ctr' }, 'validationMetrics'],
  ])('is refused as %j, which names the place', async (body, path) => {
    const { status, details } = await call('POST', '/adapt/apply', body)
    expect(status).toBe(400)
    expect(details[0]?.path).toBe(path)
  })

  it.each([
    ['ruleId', 'RULE_NOT_FOUND'],
    ['suggestionId', 'SUGGESTION_NOT_FOUND'],
  ])('that rests on a %s that nobody knows is told which', async (path, code) => {
    const sent = { type: 'x', changes: { a: 1 }, [path]: 'nothing' }
    const refused = await call('POST', '/adapt/apply', sent)
    expect(refused).toMatchObject({ status: 404, code, details: [{ path }] })
  })

  it('that nobody knows is not found', async () => {
    expect((await call('GET', '/adaptations/nothing')).code).toBe('ADAPTATION_NOT_FOUND')
    expect((await rollBack('nothing')).code).toBe('ADAPTATION_NOT_FOUND')
  })
})

describe('a suggestion', () => {
  const sent = { queryHash: 'abc', patterns: { averageRelevance: 0.3 }, confidence: 0.8 }

  it('comes to a rule that can be applied', async () => {
    const { data } = await call('POST', '/adapt/suggest', sent)
    expect(data).toMatchObject({ status: 'ACCEPTED', rule: { queryHash: 'abc' } })
    expect((await call('POST', '/adapt/suggest', sent)).data).toEqual(data)
    const { changes, ruleId } = data.rule
    const applied = await apply(changes, { ruleId, suggestionId: data.suggestionId })
    expect(applied).toMatchObject({ queryHash: 'abc', ruleId, suggestionId: data.suggestionId })
    const listed = await call('GET', '/adapt/suggestions?status=APPLIED&queryHash=abc')
    expect(listed.data).toMatchObject({ total: 1, suggestions: [{ status: 'APPLIED' }] })
    expect((await call('GET', '/adapt/rules?queryHash=abc')).data.rules).toMatchObject([{ ruleId }])
  })

  it('of little confidence is rejected, and still answered', async () => {
    const { status, data } = await call('POST', '/adapt/suggest', { ...sent, confidence: 0.3 })
    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'REJECTED', rule: null })
  })

  it.each([
    [{ ...sent, queryHash: undefined }, 'queryHash'],
    [{ ...sent, confidence: 1.1 }, 'confidence'],
    [{ ...sent, confidence: 'high' }, 'confidence'],
    [{ ...sent, patterns: {} }, 'patterns'],
    [{ ...sent, patterns: { clickThroughRate: '0.1' } }, 'patterns.clickThroughRate'],
    [{ ...sent, patterns: { clickThroughRate: 1.1 } }, 'patterns.clickThroughRate'],
    [{ ...sent, patterns: { requiresOptimization: 1 } }, 'patterns.requiresOptimization'],
    [{ ...sent, patterns: { positivePatterns: 'title' } }, 'patterns.positivePatterns'],
    [{ ...sent, patterns: { neutralPatterns: [1] } }, 'patterns.neutralPatterns[0]'],
  ])('is refused as %j, which names the place', async (body, path) => {
    const { status, details } = await call('POST', '/adapt/suggest', body)
    expect(status).toBe(400)
    expect(details[0]?.path).toBe(path)
  })
})

it.each([
  [
    { fieldWeights: { title: -1 } },
    'changes.fieldWeights.title',
    'must be a number from 0 to 1000000',
  ],
  [
    { ranking: { textWeight: 'x' } },
    'changes.ranking.textWeight',
    'must be a number from 0 to 1000000',
  ],
  [
    [{ parameter: 'neighbors', value: 0 }],
    'changes[0].neighbors',
    'must be a whole number from 1 to 10000',
  ],
])(
  'a change to %j is refused, with the place and what may stand there',
  async (changes, path, message) => {
    for (const to of ['/adapt/apply', '/adaptations', '/adapt/rules']) {
      const answer = await call('POST', to, { type: 'ranking', changes })
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
      expect(answer.details).toEqual([{ path, message }])
    }
  },
)

it('a change that would be for all queries tells of a query, an end and settings in the wrong place', async () => {
  const sent = { type: 'ranking', changes: { fieldWeights: { title: 1 } }, immediate: true }
  const beside = { query: 'red fox', endDate: '2030-01-01', pins: ['one'] }
  const { data } = await call('POST', '/adapt/apply', { ...sent, ...beside })
  expect(data.warnings).toEqual([
    '"query" is not a field of a change and was ignored; "queryHash" is.',
    '"endDate" is not a field of a change and was ignored.',
    '"pins" is not a field of a change and was ignored; "changes" is.',
  ])
  await call('POST', `/adaptations/${data.adaptationId}/rollback`)
})

it('a change tells of weights of fields that no index searches', async () => {
  for (const to of ['/adapt/apply', '/adapt/rules']) {
    const changes = { boost: { text: 0.5, vector: 0.5, nmae: 3 } }
    const { data } = await call('POST', to, { type: 'ranking', changes })
    expect(data.warnings).toContain('No index searches a field "nmae": its weight changes nothing.')
    if (data.adaptationId) await call('POST', `/adaptations/${data.adaptationId}/rollback`)
  }
})

describe('a rule', () => {
  it('may be made by hand', async () => {
    const sent = { name: 'mine', changes: { pins: ['one'], colour: 'blue' } }
    const { status, data } = await call('POST', '/adapt/rules', sent)
    expect(status).toBe(200)
    expect(data).toMatchObject({ ...sent, source: 'client', queryHash: null })
    expect(data.warnings).toEqual(['Kept, but no setting of the ranking: colour.'])
    const { ruleId } = data
    expect(await apply(sent.changes, { ruleId, queryHash: 'ruled' })).toMatchObject({ ruleId })
    expect((await call('POST', '/adapt/rules', { changes: {} })).details[0]?.path).toBe('changes')
  })

  it('tells of fields that it has not, and of what was meant', async () => {
    const beside = { type: 'ranking', query: 'red fox', pins: ['one'], title: 'mine' }
    const sent = { changes: { minScore: 0.1 }, ...beside }
    const { data } = await call('POST', '/adapt/rules', sent)
    expect(data.warnings).toEqual([
      '"type" is not a field of a rule and was ignored.',
      '"query" is not a field of a rule and was ignored; "queryHash" is.',
      '"pins" is not a field of a rule and was ignored; "changes" is.',
      '"title" is not a field of a rule and was ignored; "name" is.',
    ])
  })
})

describe('patterns', () => {
  it('show what was searched and what was clicked', async () => {
    const sessionId = await session()
    const { context, ids } = await search({ query: 'beans', sessionId })
    await running.call('POST', '/cortex/feedback', {
      sessionId,
      feedback: [
        {
          ...{ queryId: context.queryId, rating: 1 },
          metadata: { userAction: 'click', resultId: ids[1] },
        },
      ],
    })
    const searched = await call('GET', '/learn/search-patterns?window=1h&limit=50')
    const beans = searched.data.topQueries.find(({ query }: Data) => query === 'beans')
    expect(beans).toMatchObject({ searches: 1, clicked: 1, ctr: 1, clickPosition: 2 })
    expect(beans.documents).toEqual([{ id: ids[1], index: 'ranked', clicks: 1, position: 2 }])
    const told = await call('GET', '/learn/feedback/patterns')
    expect(told.data.byAction).toEqual([{ action: 'click', count: 1 }])
    expect(told.data.byPosition[1]).toMatchObject({ position: 2, clicked: 1 })
    for (const path of ['/learn/search-patterns', '/learn/feedback/patterns']) {
      expect((await call('GET', `${path}?window=2w`)).details[0]?.path).toBe('window')
      const twice = await call('GET', `${path}?window=1h&timeWindow=2w`)
      expect([twice.status, twice.details[0]?.path]).toEqual([400, 'timeWindow'])
      expect((await call('GET', `${path}?limit=0`)).status).toBe(400)
    }
  })
})

it('a change to a model that is not there, or can not rank, fails at once, and ranks nothing', async () => {
  await running.restart({})
  const { ids } = await search()
  const failed = async () => (await call('GET', '/adaptations?status=failed')).data.total
  const before = await failed()
  for (const immediate of [false, true]) {
    const change = await apply({ model: 'never-synced', pins: ids.slice(-1) }, { immediate })
    expect(change).toMatchObject({ status: 'FAILED', warnings: [expect.stringContaining('model')] })
    const { history } = (await call('GET', `/adaptations/${change.adaptationId}`)).data
    expect(history.at(-1).reason).toBe('the model that it names is not there or can not rank')
    const { data } = await call('GET', `/learn/events?adaptationId=${change.adaptationId}&limit=1`)
    expect(data.events[0]).toMatchObject({ type: 'ADAPTATION_FAILED', status: 'FAILED' })
    const found = await search({ sessionId: await session() })
    expect(found.context.adaptations.join()).not.toContain(change.adaptationId)
  }
  expect((await failed()) - before).toBe(2)
})

it('a change ranks by the version that its model had, also after another is synced and after a restart', async () => {
  const sync = (weight: number) => {
    const state = { weights: [weight], bias: 0, featureNames: ['textScore'] }
    return call('POST', '/learn/models/sync', { modelId: 'named', state })
  }
  await sync(1)
  const change = await apply({ model: 'named' }, { immediate: true, force: true })
  expect(change.status).toBe('ACTIVE')
  const modelOf = async () => (await search({ sessionId: await session() })).context.model
  await waitUntil(async () => (await modelOf()) === 'named@1')
  expect((await sync(-1)).data.version).toBe(2)
  for (let round = 0; round < 5; round += 1) expect(await modelOf()).toBe('named@1')
  await running.restart({ MODEL_VERSIONS_MAX: '2' })
  await waitUntil(async () => (await modelOf()) === 'named@1')
  // Of the others the oldest go.
  for (const weight of [2, 3, 4]) await sync(weight)
  const { versions } = (await call('GET', '/learn/models/named')).data
  expect(versions.map(({ version }: Data) => version)).toEqual([5, 1])
  expect(await modelOf()).toBe('named@1')
  await call('POST', `/adaptations/${change.adaptationId}/rollback`)
  expect(await modelOf()).toBeNull()
})

it('a cursor goes on in its own list, whatever came into force and whoever began it again', async () => {
  const words = { query: 'coffee', index: 'ranked', searchType: 'text' }
  const page = (cursor?: string) =>
    running.call<Data>('POST', '/cortex/search', { ...words, size: 1, cursor })
  const first = await page()
  const { total } = first.data
  const pins = (await search()).ids.slice(-1)
  const change = await apply({ pins }, { immediate: true, force: true })
  await page()
  const seen = [first.data.hits[0].id]
  for (let { nextCursor } = first.data; nextCursor !== undefined; ) {
    const { data } = await page(nextCursor)
    expect(data.total).toBe(total)
    seen.push(...data.hits.map(({ id }: Data) => id))
    nextCursor = data.nextCursor
  }
  expect(seen).toHaveLength(total)
  expect(new Set(seen).size).toBe(total)
  await rollBack(change.adaptationId)
})

it('takes so many triggers and thresholds as a map as it does as a list', async () => {
  const map = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, n) => [`metric${n}`, 0.5]))
  const send = (more: object) =>
    running.call('POST', '/nous/adapt/apply', {
      type: 'ranking',
      changes: { minScore: 0 },
      ...more,
    })
  expect(await send({ rollbackTriggers: map(51) })).toMatchObject({
    ...{ status: 400, code: 'VALIDATION_FAILED' },
    details: [{ path: 'rollbackTriggers', message: 'must have at most 50 properties' }],
  })
  const list = Object.keys(map(1001)).map((metric) => ({ metric, threshold: 0.5 }))
  for (const [acceptanceThresholds, things] of [
    [map(1001), 'properties'],
    [list, 'items'],
  ] as const)
    expect(await send({ acceptanceThresholds })).toMatchObject({
      status: 400,
      details: [{ path: 'acceptanceThresholds', message: `must have at most 1000 ${things}` }],
    })
})
