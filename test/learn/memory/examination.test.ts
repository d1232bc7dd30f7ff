import { describe, expect, it } from 'vitest'
import type { FeedbackFact, Impression } from '../../../src/learn/facts.ts'
import { drawOrder, isDrawn } from '../../../src/learn/impressions/draw.ts'
import { type Examination, openExamination } from '../../../src/learn/memory/examination.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'

const DAY_MS = 86_400_000
const NOW_MS = 20_000 * DAY_MS + 5

interface Shown {
  scores: readonly number[]
  /** Places in greedy order, as shown. */
  order: readonly number[]
  queryId: string
  unit: string
  epsilon?: number
  temperature?: number
  more?: Partial<Impression>
}

function shown({ scores, order, queryId, unit, more, ...draw }: Shown): Impression {
  const { epsilon = 1, temperature = 0.1 } = draw
  const explored = order.some((place, at) => place !== at)
  const exploration = {
    ...{ seed: 1, epsilon, temperature, explored, relative: false },
    ...(explored ? { order: [...order] } : {}),
  }
  const own = order.map((place) => scores[place])
  return { queryId, unit, from: 0, scores: own, exploration, ...more } as Impression
}

function click(impression: Impression, hit: number, more: object = {}): FeedbackFact {
  const entry = { status: 'learned', action: 'click' }
  const { unit } = impression
  const fact = { kind: 'feedback', receivedMs: NOW_MS, entry, unit, impression, hit, ...more }
  return fact as FeedbackFact
}

const PAIR = { scores: [0.5, 0.45], order: [0, 1] }

it('only clicks of who searched count, once each, on a first page whose draw is known', () => {
  const examination = openExamination(temporaryStore(), 1)
  let units = 0
  const samples = () => examination.estimate().samples
  const clicked = (shownMore: Partial<Shown>, hit = 0, more: object = {}) => {
    units += 1
    const unit = `u${units}`
    const impression = shown({ ...PAIR, queryId: `q${units}`, unit, ...shownMore })
    const before = samples()
    examination.take(click(impression, hit, more))
    return samples() - before
  }
  expect(clicked({})).toBe(1)
  expect(clicked({ more: { from: 10 } })).toBe(0)
  expect(clicked({}, 0, { unit: 'another' })).toBe(0)
  expect(clicked({}, 0, { hit: undefined })).toBe(0)
  expect(clicked({}, 0, { entry: { status: 'duplicate', action: 'click' } })).toBe(0)
  expect(clicked({}, 0, { entry: { status: 'learned', action: 'dismiss' } })).toBe(0)
  expect(clicked({ more: { exploration: undefined } } as never)).toBe(0)
  const eleven = { scores: Array.from({ length: 11 }, () => 1), order: PAIR.order }
  expect(clicked({ ...eleven, order: eleven.scores.map((_, at) => at) }, 10)).toBe(0)
})

it('one unit counts with one page a day, however much it clicks', async () => {
  const store = temporaryStore()
  const open = async (examination: Examination) => {
    await store.write(() => examination.save())
    const again = openExamination(store, 1)
    again.load()
    return again
  }
  const told = (examination: Examination, receivedMs: number) => {
    for (let page = 0; page < 50; page += 1)
      for (const hit of [1, 0, 1]) {
        const impression = shown({ ...PAIR, queryId: `q${page}`, unit: 'u' })
        examination.take(click(impression, hit, { receivedMs }))
      }
    return examination.estimate().samples
  }
  const first = openExamination(store, 1)
  expect(told(first, NOW_MS)).toBe(2)
  // Also when it was written meanwhile.
  const second = await open(first)
  expect(told(second, NOW_MS)).toBe(2)
  expect(told(second, NOW_MS + DAY_MS)).toBe(4)
})

it('days of earlier versions say nothing, and are gone on with', async () => {
  const store = temporaryStore()
  const earlier = { clicks: 70, upper: [3], upperSquares: [1], lower: [2], lowerSquares: [1] }
  await store.write(() => store.tables.examinations.put(20_000, earlier as never))
  const examination = openExamination(store, 1)
  examination.load()
  expect(examination.estimate().samples).toBe(0)
  examination.take(click(shown({ ...PAIR, queryId: 'q', unit: 'u' }), 0))
  await store.write(() => examination.save())
  examination.load()
  expect(examination.estimate().samples).toBe(1)
})

/** Searches of which a share is drawn, and people who look at position p with 1/p^η, or with the chance that is given. */
function simulate(
  eta: number | ((place: number) => number),
  searches: number,
  seed: number,
  { expected = 1, store = temporaryStore() }: { expected?: number; store?: Store } = {},
): Examination {
  const epsilon = 0.2
  const temperature = 0.2
  const examination = openExamination(store, expected)
  const look = typeof eta === 'number' ? (place: number) => place ** -eta : eta
  const random = seeded(seed)
  for (let search = 0; search < searches; search += 1) {
    const scores = Array.from({ length: 6 }, () => random()).sort((a, b) => b - a)
    // The better the score the better the document, or clicks would tell nothing wrong anyway.
    const worth = scores.map((score) => 0.05 + 0.8 * score * random())
    const settings = { seed: Math.floor(random() * 2 ** 32), epsilon, temperature }
    const greedy = scores.map((_, at) => at)
    const order = isDrawn(settings) ? drawOrder(scores, { ...settings, relative: false }) : greedy
    const names = { queryId: `q${search}`, unit: `u${search}` }
    const impression = shown({ scores, order, epsilon, temperature, ...names })
    const receivedMs = NOW_MS + Math.floor(search / 200) * DAY_MS
    for (const [hit, place] of order.entries())
      if (random() < (worth[place] as number) * look(hit + 1))
        examination.take(click(impression, hit, { receivedMs }))
  }
  examination.publish?.()
  return examination
}

describe('the estimate', () => {
  it.each([0, 0.5, 1, 1.5, 2])(
    'finds an η of %d within its interval, which is narrow enough',
    (eta) => {
      const { low = 9, high = -9, samples } = simulate(eta, 10_000, 11).estimate()
      expect(low).toBeLessThan(eta)
      expect(high).toBeGreaterThan(eta)
      expect(high - low).toBeLessThan(0.3)
      expect(samples).toBeGreaterThan(4000)
    },
  )

  it('covers the truth about as often as it says', () => {
    const store = temporaryStore()
    let covered = 0
    for (let run = 0; run < 40; run += 1) {
      const { low = 9, high = -9 } = simulate(2, 300, 100 + run, { store }).estimate()
      if (low < 2 && high > 2) covered += 1
    }
    // 95 % of 40 is 38; five standard deviations below.
    expect(covered).toBeGreaterThan(31)
  })

  it('says nothing from a few clicks', () => {
    expect(simulate(1, 10, 5).estimate()).toMatchObject({ eta: undefined, low: undefined })
  })
})

describe('a session that turns out to be no honest one', () => {
  const CHEAT = { unit: 'cheat', sessionId: 'cheat' }

  function openWith(flagged: ReadonlySet<string>, store = temporaryStore()) {
    const examination = openExamination(store, 1, (sessionId) => flagged.has(sessionId))
    examination.load()
    return examination
  }
  /** Somebody who looks at all of a page, or, who cheats, clicks on all of it. */
  function visit(examination: Examination, person: number, { unit, sessionId } = nameOf(person)) {
    const random = seeded(person)
    const scores = Array.from({ length: 6 }, () => random()).sort((a, b) => b - a)
    const settings = { seed: person, epsilon: 1, temperature: 0.2 }
    const order = drawOrder(scores, { ...settings, relative: false })
    const impression = shown({ scores, order, ...settings, queryId: `q${person}`, unit })
    for (const [hit, place] of order.entries())
      if (random() < 0.9 - 0.1 * place || unit === CHEAT.unit)
        examination.take(click(impression, hit, { sessionId }))
    examination.publish?.()
    return impression
  }
  const nameOf = (person: number) => ({ unit: `u${person}`, sessionId: `s${person}` })
  /** It clicks once more, by which it was found out. */
  function findOut(examination: Examination, impression: Impression, sessionId = CHEAT.sessionId) {
    const entry = { status: 'duplicate', action: 'click' }
    examination.take(click(impression, 0, { sessionId, entry }))
    examination.publish?.()
  }
  const said = (examination: Examination) => [examination.inUse(), examination.estimate()]

  it('has said nothing, and what it moved is back, whatever comes behind it', () => {
    const flagged = new Set<string>()
    const [alone, beside] = [openWith(flagged), openWith(flagged)]
    let moved = 0
    for (let person = 1; person <= 150; person += 1) {
      visit(alone, person)
      visit(beside, person)
      const sessionId = `cheat ${person}`
      const impression = visit(beside, 1000 + person, { ...CHEAT, sessionId })
      if (beside.inUse() !== alone.inUse()) moved += 1
      visit(alone, 2000 + person)
      visit(beside, 2000 + person)
      flagged.add(sessionId)
      findOut(beside, impression, sessionId)
      expect(said(beside)).toEqual(said(alone))
      // Nothing that it tells later counts.
      visit(beside, 3000 + person, { unit: `cheat ${person}`, sessionId })
      expect(said(beside)).toEqual(said(alone))
    }
    expect(moved).toBeGreaterThan(0)
  })

  it('is found out after a start, too, and forgotten where the log is cut', async () => {
    const flagged = new Set<string>()
    const alone = openWith(flagged)
    const stores = [temporaryStore(), temporaryStore()]
    for (const store of stores) {
      const beside = openWith(flagged, store)
      for (let person = 1; person <= 100; person += 1) visit(beside, person)
      visit(beside, 1000, CHEAT)
      await store.write(() => beside.save())
    }
    for (let person = 1; person <= 100; person += 1) visit(alone, person)
    const [first, second] = stores.map((store) => openWith(flagged, store))
    expect(first?.estimate().samples).toBe(alone.estimate().samples + 6)
    const doomed = { names: new Set(['cheat']), facts: [], sequence: 1 }
    for (const _ of second?.untake?.(doomed) ?? []);
    second?.publish?.()
    flagged.add(CHEAT.sessionId)
    if (first !== undefined) findOut(first, shown({ ...PAIR, queryId: 'q', unit: 'cheat' }))
    expect([first, second].map((each) => each && said(each))).toEqual([said(alone), said(alone)])
    await stores[1]?.write(() => second?.save())
    expect(JSON.stringify(stores[1]?.tables.meta.get('examination in use'))).not.toContain('cheat')
  })

  it('stays among the many clicks that came since', () => {
    const flagged = new Set<string>()
    const examination = openWith(flagged)
    const impression = visit(examination, 1000, CHEAT)
    for (let person = 1; person <= 50; person += 1) visit(examination, person)
    const { samples } = examination.estimate()
    flagged.add(CHEAT.sessionId)
    findOut(examination, impression)
    expect(examination.estimate().samples).toBe(samples)
  })
})

describe('the η in use', () => {
  it('is what is expected until there are clicks enough, and then goes where they say', () => {
    expect(simulate(0, 10, 3).inUse().eta).toBe(1)
    expect(simulate(0, 10, 3, { expected: 0.7 }).inUse().eta).toBe(0.7)
    expect(simulate(0, 2000, 3).inUse().eta).toBeLessThan(0.15)
    expect(simulate(2, 2000, 3).inUse().eta).toBeGreaterThan(1.7)
    expect(Math.abs(simulate(1, 2000, 3).inUse().eta - 1)).toBeLessThan(0.15)
  })

  it('stays within what anything is gained by, but for one that was set', () => {
    expect(simulate(4, 4000, 3).inUse().eta).toBe(2)
    expect(simulate(4, 4000, 3, { expected: 4 }).inUse().eta).toBeGreaterThan(3)
  })

  it('is the same after a start, and another only when searches see it', async () => {
    const store = temporaryStore()
    const first = simulate(0, 2000, 3, { store })
    await store.write(() => first.save())
    const again = openExamination(store, 1)
    expect(again.inUse().eta).toBe(1)
    again.load()
    expect(again.inUse()).toEqual(first.inUse())
    await store.write(() => again.reset?.())
    expect(again.inUse().eta).toBeCloseTo(first.inUse().eta, 1)
    again.publish?.()
    expect(again.inUse().eta).toBe(1)
  })
})

describe('the chances in use', () => {
  const threeAlike = (place: number) => (place <= 3 ? 1 : 0)

  it('are those of η where people look so, and no others until clicks say otherwise', () => {
    expect(simulate(1, 10, 3).inUse()).toEqual({ eta: 1 })
    const { eta, places = [] } = simulate(1, 2000, 3).inUse()
    for (const [at, chance] of places.entries())
      expect(Math.abs(chance - (at + 1) ** -eta)).toBeLessThan(0.15)
  })

  it('are found where people look at three hits alike, and are the same after a start', async () => {
    const store = temporaryStore()
    const first = simulate(threeAlike, 2000, 3, { store })
    const { places = [] } = first.inUse()
    for (const chance of places.slice(0, 3)) expect(chance).toBeGreaterThan(0.7)
    for (const chance of places.slice(3)) expect(chance).toBeLessThan(0.05)
    await store.write(() => first.save())
    const again = openExamination(store, 1)
    again.load()
    expect(again.inUse()).toEqual(first.inUse())
    const another = openExamination(store, 1.2)
    another.load()
    expect(another.inUse()).not.toEqual(first.inUse())
    await store.write(() => again.reset?.())
    again.publish?.()
    expect(again.inUse()).toEqual({ eta: 1 })
  })

  it('of days that did not tell them are those of η', async () => {
    const store = temporaryStore()
    const first = simulate(0, 2000, 3, { store })
    await store.write(() => {
      first.save()
      for (const { key, value } of [...store.tables.examinations.range()]) {
        const { pairs: _, ...earlier } = value
        store.tables.examinations.put(key, earlier)
      }
      store.tables.meta.remove('examination in use')
    })
    const again = openExamination(store, 1)
    again.load()
    const { eta, places } = again.inUse()
    expect(eta).toBeLessThan(0.15)
    expect(places).toBeUndefined()
  })
})
