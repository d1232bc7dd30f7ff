import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import type { Fact, Impression, StoredImpression } from '../../../src/learn/facts.ts'
import { convergence } from '../../../src/learn/health/convergence.ts'
import { effectiveness } from '../../../src/learn/health/effectiveness.ts'
import { stability } from '../../../src/learn/health/stability.ts'
import { packRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import { openHour } from '../../../src/learn/reports/hour.ts'
import { openHours } from '../../../src/learn/reports/hours.ts'
import { openMovedOf } from '../../../src/learn/reports/moved-clicks.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { temporaryStore } from '../../store/open.ts'
import { impressionOf, showing } from '../impressions/parts.ts'

const DAY = 20_000
const NOW_MS = DAY * 86_400_000 + 3_600_000 * 5

describe('effectiveness', () => {
  async function scored(moved: [number, number, number][], agoH = 1, eta = 1) {
    const store = temporaryStore()
    const hour = Math.floor(NOW_MS / 3_600_000) - agoH
    const report = { ...openHour().record(), moved }
    await store.write(() => store.tables.hourReports.put(hour, report))
    return effectiveness(store, { eta }, NOW_MS)
  }

  it('is a half where as much is clicked as without learning, and more the better it ranks', async () => {
    // Without regard to what is chosen: looked at half as often at the second place, it is clicked half as often.
    const anyOrder: [number, number, number][] = [
      [1, 2, 100],
      [2, 1, 50],
    ]
    expect(await scored(anyOrder)).toEqual({ score: 0.5, status: 'FAIR', samples: 150 })
    expect(await scored(anyOrder, 1, 0)).toMatchObject({ score: 0.5 })
    expect(await scored([[1, 2, 100]])).toMatchObject({ score: 0.6667, status: 'GOOD' })
    expect(await scored([[2, 1, 100]])).toMatchObject({ score: 0.3333, status: 'POOR' })
  })

  it.each([
    ['too few clicks', [[1, 2, 99]], 1],
    ['nothing that was moved', [], 1],
    ['old clicks', [[1, 2, 500]], 24 * 8],
  ] as [string, [number, number, number][], number][])(
    'is not known from %s',
    async (_, moved, agoH) => {
      const { score, status } = await scored(moved, agoH)
      expect({ score, status }).toEqual({ score: null, status: 'INSUFFICIENT_DATA' })
    },
  )

  /** Searches and clicks of people who look at place p with the chance 1/p, and want each second document or so. */
  async function simulated(
    keyOf: (document: Wanted, random: () => number) => number,
    more: Partial<Impression> = {},
  ) {
    const store = temporaryStore()
    const shown = new Map<string, StoredImpression>()
    const find = (queryId: string) => shown.get(queryId)
    const movedOf = openMovedOf({ find }, () => ['textScore', 'fusedScore'])
    const hours = openHours(store, movedOf)
    const random = seeded(7)
    for (let search = 0; search < 4000; search += 1) {
      const order = Array.from({ length: 10 }, (_, at) => ({ at, isWanted: random() < 0.5 }))
        .map((document) => ({ ...document, key: keyOf(document, random) }))
        .sort((a, b) => a.key - b.key)
      const impression = { ...showingDocuments(order), ...more }
      const features = () => Float32Array.from(order.flatMap(({ at }) => [0, 1 - at / 10]))
      shown.set(impression.queryId, { impression, features, replay: () => ({}) as never })
      hours.take({ kind: 'search', sequence: search, impression })
      for (const [place, { isWanted }] of order.entries())
        if (random() < (isWanted ? 0.5 : 0.1) / (place + 1)) hours.take(clickOn(impression, place))
    }
    await store.write(() => hours.save())
    return effectiveness(store, { eta: 1 }, NOW_MS)
  }

  it('tells an order that people want from any other, and from none', async () => {
    const wantedFirst = await simulated(({ at, isWanted }) => (isWanted ? at : at + 10))
    expect(wantedFirst).toMatchObject({ status: 'GOOD', score: expect.closeTo(0.6, 1) })
    const any = await simulated((_, random) => random())
    expect(any.score).toBeGreaterThan(0.48)
    expect(any.score).toBeLessThan(0.52)
    const none = { score: null, status: 'INSUFFICIENT_DATA', samples: 0 }
    expect(await simulated(({ at }) => at)).toEqual(none)
    expect(await simulated((_, random) => random(), { from: 10 })).toEqual(none)
  })
})

interface Wanted {
  /** Where it stands without learning, from 0. */
  at: number
  isWanted: boolean
}

function showingDocuments(order: readonly Wanted[]): Impression {
  const hits = order.map(({ at }, place) => ({ indexId: 1, id: `${at}`, score: 1 - place / 10 }))
  return impressionOf({
    ...{ timeMs: NOW_MS, sessionId: 's', unit: 'u', total: 10, addedScores: 3, features: 2 },
    ...showing(hits),
  })
}

function clickOn(impression: Impression, hit: number): Fact {
  const { queryId, unit } = impression
  const entry = { signalId: 'g', queryId, action: 'click', rating: 1, timeMs: NOW_MS } as const
  return {
    ...{ kind: 'feedback', sequence: 0, receivedMs: NOW_MS, sessionId: 's', unit, impression, hit },
    entry: { ...entry, status: 'learned' },
  }
}

describe('convergence', () => {
  const config = { ...readConfig({}), chances: { eta: 1 }, clickGain: 0.3 }
  const MILLION = 1_000_000

  async function scored(evidence: number[][]) {
    const store = temporaryStore()
    await store.write(() => {
      for (const [at, one] of evidence.entries())
        store.tables.clickMemory.put(`q${at}`, packRemembered(at, new Map([['1/a', one]])))
    })
    return convergence(store, config, NOW_MS)
  }
  const many = (one: number[], length = 200) => Array.from({ length }, () => one)
  /** A day on which a document stood first as often as it was looked at. */
  const on = (day: number, gain: number, looks: number) => {
    return [day, gain * MILLION, looks * MILLION, looks * MILLION, gain * MILLION]
  }
  const settled = on(DAY - 3, 5, 20)

  it('is one where today changed nothing', async () => {
    expect(await scored(many(settled))).toEqual({ score: 1, status: 'GOOD', samples: 200 })
  })

  it('falls with what today moved, and knows nothing of pairs that are new', async () => {
    const little = [...settled, ...on(DAY, 0.3, 1)]
    const much = [...settled, ...on(DAY, 0, 60)]
    const fresh = on(DAY, 3, 1)
    const { score: few = 0 } = await scored(many(little))
    const { score: lot = 0, samples } = await scored([...many(much), ...many(fresh)])
    expect(few).toBeGreaterThan(0.9)
    expect(lot).toBeLessThan(0.5)
    expect(samples).toBe(200)
  })

  it('is one where the added score was at its bound, and is', async () => {
    const bounded = [...on(DAY - 3, 50, 1), ...on(DAY, 50, 1)]
    expect(await scored(many(bounded))).toMatchObject({ score: 1 })
  })

  it('is not known from a few pairs', async () => {
    expect(await scored(many(settled, 19))).toMatchObject({ score: null, samples: 19 })
  })
})

describe('stability', () => {
  it('is the share of changes that stand', () => {
    const counted = {
      MODEL_ACTIVATED: 2,
      ADAPTATION_CANARY: 6,
      ADAPTATION_ACTIVE: 4,
      EXPERIMENT_STARTED: 2,
      ADAPTATION_ROLLED_BACK: 1,
      EXPERIMENT_ROLLED_BACK: 1,
      FEEDBACK_RECEIVED: 1000,
    }
    expect(stability(counted)).toEqual({ score: 0.8, status: 'FAIR', samples: 10 })
    expect(stability({ MODEL_ACTIVATED: 3, MODEL_ROLLED_BACK: 5 })).toMatchObject({ score: 0 })
    expect(stability({ MODEL_ACTIVATED: 2 })).toMatchObject({ score: null, samples: 2 })
  })

  it('takes no change for a new one that is in force again because another was taken back', () => {
    const counted = { ADAPTATION_CANARY: 10, ADAPTATION_ACTIVE: 19, ADAPTATION_ROLLED_BACK: 9 }
    expect(stability(counted)).toEqual({ score: 0.1, status: 'POOR', samples: 10 })
  })
})
