import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { openPages } from '../../../src/learn/plan/pages.ts'
import type { LearnedPlan } from '../../../src/learn/plan/plan.ts'
import type { ServedModel } from '../../../src/learn/plan/ranking.ts'
import { NOTHING_ADDED } from '../../../src/schema/plan.ts'
import type { SearchRequest } from '../../../src/schema/search.ts'

/** The core has every model. */
const loaded = (model: ServedModel) => model

/** The hash tells which list a page belongs to, as all of a search's words would; a cursor names its list's number. */
function openNamed(
  make: (search: SearchRequest) => LearnedPlan,
  stillServed: Parameters<typeof openPages>[1] = loaded,
) {
  const plan = openPages(make, stillServed)
  return (search: SearchRequest, text: string, list?: number) => plan(search, text, { text, list })
}

function openCounted() {
  let made = 0
  return openNamed(() => {
    made += 1
    const plan = { tuning: { size: 5 }, added: NOTHING_ADDED, adaptations: [], experiments: [] }
    const own = { exploration: { seed: made }, shadow: { name: 'unseen@1', handle: made } }
    return { ...plan, ...own, rerankSize: made } as unknown as LearnedPlan
  })
}

const first: SearchRequest = { query: 'one', sessionId: 'ann' }
const next: SearchRequest = { ...first, from: 10 }

it('what applied to the first page of a list applies to its next ones, but for the draw and a model that scores unseen', () => {
  const plan = openCounted()
  const own = { exploration: { seed: 1 }, shadow: { handle: 1 } }
  expect(plan(first, 'one')).toMatchObject(own)
  const none = { exploration: undefined, shadow: undefined }
  expect(plan(next, 'one')).toMatchObject({ rerankSize: 1, ...none })
  expect(plan({ ...first, cursor: 'after' }, 'one').rerankSize).toBe(1)
  expect(plan({ ...next, sessionId: 'bob' }, 'one').rerankSize).toBe(4)
  expect(plan(next, 'two').rerankSize).toBe(5)
  expect(plan(first, 'one').rerankSize).toBe(6)
  expect(plan(next, 'one').rerankSize).toBe(6)
})

it('a list that is dealt is dealt on its later pages as on its first', () => {
  let seed = 0
  const plan = openNamed(() => {
    const rest = { tuning: {}, added: NOTHING_ADDED, adaptations: [] }
    const experiments = [{ testId: 't', testName: 'T', variantId: '@interleaved' }]
    seed += 1
    const interleaved = { testId: 't', seed, against: { tuning: {} } }
    return { ...rest, experiments, interleaved } as unknown as LearnedPlan
  })
  const { list } = plan(first, 'one')
  expect(plan(next, 'one').interleaved).toMatchObject({ testId: 't', seed: 1 })
  expect(plan({ ...first, cursor: 'after' }, 'one', list).interleaved).toMatchObject({ seed: 1 })
  expect(plan(first, 'one').interleaved).toMatchObject({ seed: 4 })
})

it('a later page of a list that a variant applies to names the first one', () => {
  let variants: [string, string][] = [['t', 'b']]
  const plan = openPages(({ sessionId }) => {
    const experiments = variants.map(([testId, variantId]) => ({ testId, variantId }))
    const rest = { tuning: { minScore: 1 }, added: NOTHING_ADDED, adaptations: [] }
    const recorded = { unit: 'ann', variants }
    return { ...rest, sessionId, experiments, recorded } as unknown as LearnedPlan
  }, loaded)
  const listOf = (search: SearchRequest, queryId: string) =>
    plan(search, 'one', { text: 'one', list: undefined, queryId }).recorded?.list
  const [q1, q2] = [newId(), newId()]
  expect(listOf(next, 'unknown beginning')).toBeUndefined()
  expect(listOf({ ...next, from: 20 }, 'of the same')).toBeUndefined()
  expect(listOf(first, q1)).toBeUndefined()
  expect(listOf(next, 'later')).toBe(q1)
  expect(listOf({ ...next, cursor: 'after' }, 'later')).toBe(q1)
  expect(listOf(first, q2)).toBeUndefined()
  expect(listOf(next, 'later')).toBe(q2)
  variants = []
  expect(listOf(first, q1)).toBeUndefined()
  expect(listOf(next, 'later')).toBe(q1)
})

it('a later page of any list of a session names the first one, as far as that is known and written down', () => {
  let isRecorded = true
  let isOver = false
  const plan = openPages(({ sessionId, query }) => {
    const added = { documents: '"1/a"', values: '0.5', count: 1 }
    const rest = { tuning: {}, model: undefined, adaptations: [], experiments: [], sessionId }
    const unit = isOver ? undefined : sessionId
    const recorded = isRecorded ? { unit, variants: [] } : undefined
    const own = { ...rest, recorded, added: query === 'plain' ? NOTHING_ADDED : added }
    return own as unknown as LearnedPlan
  }, loaded)
  for (const query of ['plain', 'learned']) {
    const ask = (search: SearchRequest, queryId: string, list?: number) =>
      plan({ ...search, query }, query, { text: query, list, queryId })
    const [q1, q2] = [newId(), newId()]
    expect(ask(next, 'unknown beginning').recorded?.list).toBeUndefined()
    const { list, recorded } = ask(first, q1)
    expect(recorded).toEqual({ unit: 'ann', variants: [] })
    expect(ask(next, 'later').recorded).toEqual({ unit: 'ann', variants: [], list: q1 })
    const after = { ...first, cursor: 'after' }
    expect(ask(after, 'later', list).recorded?.list).toBe(q1)
    // The session is over: it is nobody's page.
    isOver = true
    expect(ask(next, 'later').recorded).toEqual({ variants: [] })
    isOver = false
    // Somebody else goes on in it.
    expect(ask({ ...after, sessionId: 'bob' }, 'later', list).recorded?.list).toBeUndefined()
    // Anybody without a session may have begun it.
    const { sessionId: _, ...anybody } = first
    ask(anybody, newId())
    expect(ask({ ...anybody, from: 10 }, 'later').recorded?.list).toBeUndefined()
    isRecorded = false
    ask(first, q2)
    isRecorded = true
    expect(ask(next, 'later').recorded?.list).toBeUndefined()
  }
})

it('who goes on in the list of somebody else, by a cursor, is in none of the tests that it is in', () => {
  const plan = openPages(({ sessionId }) => {
    const experiments = [{ testId: 't', testName: 'T', variantId: 'b' }]
    const rest = { tuning: { minScore: 1 }, added: NOTHING_ADDED, adaptations: [] }
    const recorded = { unit: sessionId, variants: [['t', 'b']] }
    return { ...rest, sessionId, experiments, recorded } as unknown as LearnedPlan
  }, loaded)
  const queryId = newId()
  const { list } = plan(first, 'one', { text: 'one', list: undefined, queryId })
  const after = (sessionId: string) =>
    plan({ ...first, sessionId, cursor: 'after' }, 'one', { text: 'one', list, queryId: 'q2' })
  expect(after('ann').recorded).toEqual({ unit: 'ann', variants: [['t', 'b']], list: queryId })
  const other = after('bob')
  expect(other.recorded).toEqual({ unit: 'bob', variants: [] })
  expect(other.experiments).toHaveLength(1)
})

it('a list is kept while ten thousand others begin, and not for ever', () => {
  const plan = openCounted()
  plan(first, 'one')
  for (let list = 0; list < 10_000; list += 1) plan(first, `other-${list}`)
  expect(plan(next, 'one').rerankSize).toBe(1)
  for (let list = 0; list < 10_000; list += 1) plan(first, `another-${list}`)
  expect(plan(next, 'one').rerankSize).toBe(20_003)
})

it('a list to which nothing applied stays so while something is learned', () => {
  let added = NOTHING_ADDED
  const plan = openNamed(() => {
    const nothing = { tuning: {}, model: undefined, adaptations: [], experiments: [] }
    return { ...nothing, added, recorded: { variants: [] } } as unknown as LearnedPlan
  })
  plan(first, 'one')
  const learned = { documents: '"1/a"', values: '0.5', count: 1, pins: false }
  added = learned
  expect(plan(next, 'one')).toMatchObject({ added: NOTHING_ADDED, recorded: { variants: [] } })
  expect(plan(first, 'one').added).toBe(learned)
  added = NOTHING_ADDED
  expect(plan(next, 'one').added).toBe(learned)
})

it('a later page reads the click rates that a model ranked the first one by', () => {
  let edition = 1
  let model: LearnedPlan['model'] = { name: 'liked@1', handle: 1 }
  const plan = openNamed(() => {
    const rest = { tuning: {}, added: NOTHING_ADDED, adaptations: [], experiments: [] }
    return { ...rest, model, clickRates: { prior: 0.05, edition } } as unknown as LearnedPlan
  })
  plan(first, 'one')
  edition = 2
  expect(plan(next, 'one').clickRates).toEqual({ prior: 0.05, edition: 1 })
  model = undefined
  plan(first, 'one')
  edition = 3
  expect(plan(next, 'one').clickRates).toEqual({ prior: 0.05, edition: 3 })
})

it('a later page, whoever asks for it, is ranked for the device of the first one', () => {
  const devices = { ann: 2, bob: 1 }
  const model = { name: 'm@1', handle: 1 }
  const added = { documents: '"1/a"', values: 'AAAA', count: 1 }
  const tuning = {}
  const plan = openNamed(({ sessionId }) => {
    const device = devices[sessionId as 'ann' | 'bob'] ?? 0
    const rest = { tuning, added, rerankSize: 100, adaptations: [], experiments: [] }
    return { ...rest, model, device } as unknown as LearnedPlan
  })
  const { list } = plan(first, 'one')
  const bob = plan({ ...first, sessionId: 'bob' }, 'one').list
  const anybody: SearchRequest = { query: 'one', cursor: 'after' }
  expect(plan(anybody, 'one', list).device).toBe(2)
  expect(plan(anybody, 'one', bob).device).toBe(1)
  expect(list % 2 ** 20).not.toBe(bob % 2 ** 20)
})

it('a later page has the ages of the hour of the first one, and a list that is begun later those of its own', () => {
  let agesAt = 500_000
  const model = { name: 'm@1', handle: 1 }
  const added = { documents: '"1/a"', values: 'AAAA', count: 1 }
  const tuning = {}
  const plan = openNamed(() => {
    const rest = { tuning, added, rerankSize: 100, adaptations: [], experiments: [] }
    return { ...rest, model, agesAt } as unknown as LearnedPlan
  })
  const { list } = plan(first, 'one')
  agesAt += 1
  const later = plan({ ...first, sessionId: 'bob' }, 'one').list
  expect(plan(next, 'one', list).agesAt).toBe(500_000)
  expect(plan({ ...next, sessionId: 'bob' }, 'one', later).agesAt).toBe(500_001)
  expect(list % 2 ** 20).not.toBe(later % 2 ** 20)
})

it('a later page is recorded with the variants of the first one', () => {
  let experiments: LearnedPlan['experiments'] = [{ testId: 't', testName: 'T', variantId: 'b' }]
  const plan = openNamed(() => {
    const rest = { tuning: {}, added: NOTHING_ADDED, model: undefined, adaptations: [] }
    return {
      ...rest,
      experiments,
      recorded: { unit: 'ann', variants: [] },
    } as unknown as LearnedPlan
  })
  plan(first, 'one')
  experiments = []
  expect(plan(next, 'one').recorded).toEqual({ unit: 'ann', variants: [['t', 'b']] })
})

it('a cursor goes on in its own list, whoever began the same one since', () => {
  const plan = openCounted()
  const { sessionId: _, ...anybody } = first
  const mine = plan(anybody, 'one')
  expect(plan(anybody, 'one').rerankSize).toBe(2)
  const further = { ...anybody, cursor: 'after' }
  expect(plan(further, 'one', mine.list)).toMatchObject({ rerankSize: 1, list: mine.list })
  expect(plan({ ...anybody, from: 10 }, 'one').rerankSize).toBe(2)
})

it('a cursor of a list that is kept no more goes on where the same applies, and is refused elsewhere', () => {
  let adaptations = ['change@1']
  const plan = openNamed(() => {
    const rest = { tuning: {}, added: NOTHING_ADDED, experiments: [], list: 0 }
    return { ...rest, adaptations } as unknown as LearnedPlan
  })
  const begin = () => {
    const { list } = plan(first, 'one')
    for (let other = 0; other < 20_000; other += 1) plan(first, `other-${other}`)
    return list
  }
  const further = { ...first, cursor: 'after' }
  const goesOn = plan(further, 'one', begin())
  expect(goesOn.adaptations).toEqual(['change@1'])
  const lost = begin()
  const details = [expect.objectContaining({ path: 'cursor' })]
  const refusal = expect.objectContaining({ code: 'GENERATION_GONE', details })
  for (adaptations of [['change@2'], [], ['change@1', 'other@1']])
    expect(() => plan(further, 'one', lost)).toThrow(refusal)
  // A page by its place has only the words to go by.
  expect(plan(next, 'one').adaptations).toEqual(['change@1', 'other@1'])
  adaptations = ['change@1']
  const kept = plan(further, 'one', lost)
  adaptations = []
  expect(plan(further, 'one', kept.list).adaptations).toEqual(['change@1'])
})

it('a cursor of before a start goes on in no other list that has its number by now', () => {
  const open = () =>
    openNamed(({ query }: SearchRequest) => {
      const rest = { tuning: {}, added: NOTHING_ADDED, experiments: [] }
      return { ...rest, adaptations: [`${query}@1`] } as unknown as LearnedPlan
    })
  const { list } = open()(first, 'one')
  const plan = open()
  const other = plan({ ...first, query: 'two' }, 'two')
  expect(Math.floor(other.list / 2 ** 20)).toBe(Math.floor(list / 2 ** 20))
  expect(plan({ ...first, cursor: 'after' }, 'one', list).adaptations).toEqual(['one@1'])
})

it('a list to which nothing applied needs no number', () => {
  let made = 0
  const plan = openNamed(() => {
    made += 1
    const rest = { tuning: {}, model: undefined, adaptations: [], experiments: [], list: 0 }
    const added = made === 1 ? NOTHING_ADDED : { documents: '"1/a"', values: '0.5', count: 1 }
    return { ...rest, added } as unknown as LearnedPlan
  })
  expect(plan(first, 'one').list).toBe(0)
  expect(plan(first, 'one').list).toBeGreaterThan(0)
  expect(plan({ ...first, cursor: 'after' }, 'one', 0)).toMatchObject({ added: NOTHING_ADDED })
})

it('a list is known by what decides it, however long that is, and takes no more room for it', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const plan = openCounted()
  const long = (at: number) => `${at}`.padStart(200_000, 'x')
  plan(first, long(0))
  collect()
  const before = process.memoryUsage().heapUsed
  for (let at = 1; at < 300; at += 1) plan(first, long(at))
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6)
  expect(plan(next, long(0)).rerankSize).toBe(1)
  expect(plan(next, long(7)).rerankSize).toBe(8)
})

it('lists that name many documents with long ids, each others, are fewer and take no more room', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let made = 0
  const plan = openNamed(() => {
    made += 1
    const documents = Buffer.alloc(40_000, `"1/${made}",`).toString('latin1')
    const rest = { tuning: {}, model: undefined, adaptations: [], experiments: [] }
    return { ...rest, added: { documents, values: 'AAAA', count: 200 } } as unknown as LearnedPlan
  })
  collect()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < 6000; at += 1) plan(first, `${at}`)
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
  expect(plan(next, '5900').added.documents).toContain('"1/5901"')
})

it('names of documents that many lists have are counted once', () => {
  const documents = Buffer.alloc(40_000, '"1/a",').toString('latin1')
  let made = 0
  const plan = openNamed(() => {
    made += 1
    const rest = { tuning: {}, model: undefined, adaptations: [], experiments: [] }
    return {
      ...rest,
      added: { documents, values: `${made}`, count: 200 },
    } as unknown as LearnedPlan
  })
  for (let at = 0; at < 10_000; at += 1) plan(first, `${at}`)
  expect(plan(next, '0').added.values).toBe('1')
})

it.each([
  ['what was learned of documents', undefined],
  ['that and a model', { name: 'learned@1', handle: 1 }],
])('thousands of lists to which %s applies leave next to nothing on the heap', (_, model) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const same = { tuning: {}, added: { documents: '"1/a"', values: 'AAAA', count: 1 } }
  const clickRates = { prior: 0.05, edition: 1 }
  const plan = openNamed(() => {
    const rest = { model, clickRates, rerankSize: 100, adaptations: [], experiments: [] }
    return { ...same, ...rest } as unknown as LearnedPlan
  })
  const begin = (at: number) => plan(first, `a list of words, and of ${at}`)
  for (let at = 0; at < 500; at += 1) begin(at)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < 9000; at += 1) begin(at)
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(500_000)
  expect(plan(next, 'a list of words, and of 8999')).toMatchObject({ added: same.added, model })
})

it('a list keeps the model that ranked its first page, and lists of another model have other marks', () => {
  const added = { documents: '"1/a"', values: 'AAAA', count: 1 }
  const tuning = {}
  let model: LearnedPlan['model']
  const plan = openNamed(() => {
    const rest = { tuning, added, rerankSize: 100, adaptations: [], experiments: [] }
    return { ...rest, model } as unknown as LearnedPlan
  })
  const models = [undefined, { name: 'a@1', handle: 1 }, { name: 'b@1', handle: 2 }, undefined]
  const lists = models.map((each) => {
    model = each
    return plan(first, 'one').list
  })
  const further = (list: number | undefined) => plan({ ...first, cursor: 'after' }, 'one', list)
  expect(lists.map((list) => further(list).model)).toEqual(models)
  const marks = lists.map((list) => list % 2 ** 20)
  expect([marks[0], new Set(marks).size]).toEqual([marks[3], 3])
})

it('a list whose model was dropped is refused to cursors, and goes on by the handle of one that was loaded anew', () => {
  const handles = new Map([
    ['a@1', 1],
    ['b@1', 2],
  ])
  const still = ({ name }: ServedModel) => {
    const handle = handles.get(name)
    return handle === undefined ? undefined : { name, handle }
  }
  const other = { name: 'c@1', handle: 3 }
  let model = { name: 'a@1', handle: 1 }
  let interleaved: object | undefined
  const plan = openNamed(() => {
    const rest = { tuning: {}, added: NOTHING_ADDED, adaptations: [], experiments: [] }
    return { ...rest, rerankSize: 100, model, interleaved } as unknown as LearnedPlan
  }, still)
  const ranked = plan(first, 'one').list
  interleaved = { seed: 1, against: { tuning: {}, model: { name: 'b@1', handle: 2 } } }
  const dealt = plan(first, 'two').list
  ;[model, interleaved] = [other, undefined]
  const further = (text: string, list: number) => plan({ ...first, cursor: 'after' }, text, list)
  handles.set('b@1', 7)
  expect(further('two', dealt).interleaved?.against.model).toEqual({ name: 'b@1', handle: 7 })
  handles.set('a@1', 8)
  expect(further('one', ranked).model).toEqual({ name: 'a@1', handle: 8 })
  handles.delete('b@1')
  const refusal = expect.objectContaining({ code: 'GENERATION_GONE' })
  expect(() => further('two', dealt)).toThrow(refusal)
  expect(further('one', ranked).model).toEqual({ name: 'a@1', handle: 8 })
  handles.delete('a@1')
  expect(() => further('one', ranked)).toThrow(refusal)
  // By its place a page is one of the list as it is now.
  expect(plan(next, 'one').model).toBe(other)
})
