import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { convergence } from '../../../src/learn/health/convergence.ts'
import { effectiveness } from '../../../src/learn/health/effectiveness.ts'
import { stability } from '../../../src/learn/health/stability.ts'
import { packRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import { openHour } from '../../../src/learn/reports/hour.ts'
import type { SearchCounts } from '../../../src/schema/analytics-record.ts'
import { temporaryStore } from '../../store/open.ts'

const DAY = 20_000
const NOW_MS = DAY * 86_400_000 + 3_600_000 * 5

function counts(searches: number, reciprocal: number): SearchCounts {
  return { searches, reciprocal, clicked: 0, zeroResults: 0, tookMs: 0 }
}

describe('effectiveness', () => {
  async function scored(learned: SearchCounts, plain: SearchCounts, agoH = 1) {
    const store = temporaryStore()
    const hour = Math.floor(NOW_MS / 3_600_000) - agoH
    const report = { ...openHour().record(), learned, plain }
    await store.write(() => store.tables.hourReports.put(hour, report))
    return effectiveness(store, NOW_MS)
  }

  it('is a half where learning makes no difference, and more the better it ranks', async () => {
    expect(await scored(counts(200, 80), counts(400, 160))).toEqual({
      score: 0.5,
      status: 'GOOD',
      samples: 200,
    })
    expect(await scored(counts(100, 80), counts(100, 40))).toMatchObject({ score: 0.6667 })
    expect(await scored(counts(100, 40), counts(100, 80))).toMatchObject({
      score: 0.3333,
      status: 'POOR',
    })
  })

  it.each([
    [counts(99, 10), counts(500, 10), 1],
    [counts(500, 10), counts(99, 10), 1],
    [counts(500, 0), counts(500, 0), 1],
    [counts(500, 10), counts(500, 10), 24 * 8],
  ])('is not known from too few searches, no clicks, or old ones', async (learned, plain, agoH) => {
    const { score, status } = await scored(learned, plain, agoH)
    expect({ score, status }).toEqual({ score: null, status: 'INSUFFICIENT_DATA' })
  })
})

describe('convergence', () => {
  const config = { ...readConfig({}), chances: { eta: 1 } }
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
    return [day, gain * MILLION, looks * MILLION, looks * MILLION]
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
})
