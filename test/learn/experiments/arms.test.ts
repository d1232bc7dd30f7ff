import { describe, expect, it } from 'vitest'
import type { ArmRow, SumsRow } from '../../../src/schema/experiment-record.ts'
import { type Answered, type Laboratory, openLaboratory } from './laboratory.ts'

/** What two units of each arm did: one of them clicked and rated. */
async function started(lab: Laboratory): Promise<string> {
  const { testId } = await lab.create('test', {})
  for (const arm of ['a', 'b']) {
    const rates = await lab.memberOf(testId, arm)
    await lab.tell(rates, lab.searchIn(rates, { tookMs: 8 }), 'b', { userAction: 'click' }, 0.5)
    lab.searchIn(await lab.memberOf(testId, arm), { tookMs: 4 })
  }
  await lab.get('test', testId)
  return testId
}

const rowsOf = (lab: Laboratory, id: string) =>
  [0, 1].map((at) => lab.store.tables.experimentArms.get([id, at])!)

async function rewrite(lab: Laboratory, id: string, alter: (row: ArmRow) => ArmRow) {
  const { experimentArms } = lab.store.tables
  const rows = rowsOf(lab, id).map(alter)
  await lab.store.write(() => {
    for (const [at, row] of rows.entries()) experimentArms.put([id, at], row)
  })
  return lab.reopen()
}

/** The metrics of rows whose sums had no names. */
const EARLIER = ['ctr', 'mrr', 'zeroResultRate', 'conversionRate', 'latencyMs', 'rating']

/** What a test tells by these: of one that came later, such rows know nothing. */
function earlierFigures({ metrics }: Answered) {
  const names = ['units', 'searches', ...EARLIER]
  return ['a', 'b'].map((arm) => names.map((name) => [name, metrics[arm][name]]))
}

/** By place, each unit counted as one that rated: as rows were before sums had names. */
function asBefore(row: ArmRow): ArmRow {
  const sums = row.sums as Record<string, SumsRow>
  const listed = [...EARLIER, '@preference'].map((name): SumsRow => [...sums[name]!])
  listed[5]![0] = 2
  return { ...row, sums: listed }
}

describe('the sums of an arm', () => {
  it('are kept by the name of their metric', async () => {
    const lab = openLaboratory()
    const id = await started(lab)
    const { ctr, latencyMs, rating } = rowsOf(lab, id)[1]!.sums as Record<string, SumsRow>
    expect(ctr).toEqual([2, 1, 1, 2, 2, 1])
    expect(latencyMs).toEqual([2, 12, 80, 2, 2, 12])
    expect(rating).toEqual([1, 0.5, 0.25, 1, 1, 0.5])
  })

  it('are read from rows that had them by place, and go on by name', async () => {
    const lab = openLaboratory()
    const id = await started(lab)
    const before = await lab.get('test', id)
    const whole = rowsOf(lab, id)
    const later = await rewrite(lab, id, asBefore)
    expect(earlierFigures(await later.get('test', id))).toEqual(earlierFigures(before))
    later.searchIn(await later.memberOf(id, 'b'), { tookMs: 6 })
    const { metrics } = await later.get('test', id)
    expect(metrics).toMatchObject({
      a: before.metrics.a,
      b: { units: 3, latencyMs: 6, rating: 0.5 },
    })
    const [a, b] = rowsOf(later, id)
    expect(a).toEqual(whole[0])
    expect((b!.sums as Record<string, SumsRow>).rating).toEqual([1, 0.5, 0.25, 1, 1, 0.5])
  })

  it('are counted anew from the units where a row lacks a metric', async () => {
    const lab = openLaboratory()
    const id = await started(lab)
    const whole = rowsOf(lab, id)
    const later = await rewrite(lab, id, ({ sums, ...row }) => {
      const { mrr: _, ...others } = sums as Record<string, SumsRow>
      return { ...row, sums: others }
    })
    expect((await later.get('test', id)).metrics.b).toMatchObject({ ctr: 0.5, mrr: 0 })
    const goes = await later.memberOf(id, 'b')
    later.searchIn(goes)
    expect((await later.get('test', id)).metrics.b.mrr).toBe(0.5 / 3)
    await later.experiments.forget(later.sessions.peek(goes)!.userId!)
    expect(rowsOf(later, id).map(({ sums }) => sums)).toEqual(whole.map(({ sums }) => sums))
  })
})

it('no arm takes further units once one is full, so that their sizes stay as the shares say', async () => {
  const lab = openLaboratory()
  const id = await started(lab)
  let at = 0
  const full = await rewrite(lab, id, (row) => {
    if (at++ === 0) return row
    return { ...row, sums: { ...row.sums, ctr: [5e5, 1, 1, 5e5, 5e5, 1] } }
  })
  const one = await full.memberOf(id, 'a')
  for (const session of [one, await full.memberOf(id, 'b'), one]) full.searchIn(session)
  const { metrics } = await full.get('test', id)
  expect(metrics).toMatchObject({
    a: { units: 2, searches: 2, searchesLeftOut: 2 },
    b: { units: 5e5, searches: 5e5, searchesLeftOut: 1 },
  })
})

it('a unit that rated nothing is no unit of the rating', async () => {
  const lab = openLaboratory()
  const { testId } = await lab.create('test', { successMetrics: ['rating'] })
  for (const arm of ['a', 'b'])
    for (let n = 0; n < 60; n += 1) {
      const member = await lab.memberOf(testId, arm)
      const query = lab.searchIn(member)
      if (n === 0) await lab.tell(member, query, 'a', { userAction: 'view' }, arm === 'a' ? 0.2 : 1)
    }
  const { comparisons, metrics, verdict } = await lab.get('test', testId)
  expect(metrics).toMatchObject({ a: { rating: 0.2 }, b: { rating: 1 } })
  expect(comparisons.filter(({ metric }: { metric: string }) => metric === 'rating')).toEqual([])
  expect(verdict).toEqual({ metric: 'rating', decision: 'UNDECIDED' })
})
