import { describe, expect, it } from 'vitest'
import { judgeLoop } from '../../bench/loop-report.ts'

const OUTCOME = {
  folder: 'some',
  mode: 'hybrid',
  queries: 3,
  start: 0.5,
  best: 0.7,
  curve: [0.5, 0.499, 0.55].map((learned, sessions) => ({ sessions, raw: 0.5, learned })),
  fraud: 0,
  unseen: { queries: 1, start: 0.6, end: 0.6 },
}

const metOf = (outcome: typeof OUTCOME) => judgeLoop(outcome).map(({ met }) => met)

describe('the bars of simulated people', () => {
  it('are met by what lifts enough and harms nothing', () => {
    expect(metOf(OUTCOME)).toEqual([true, true, true, true])
  })

  it('are missed one by one', () => {
    const at = (learned: number) => ({ sessions: 1, raw: 0.5, learned })
    expect(metOf({ ...OUTCOME, curve: [at(0.5), at(0.539)] })).toEqual([false, true, true, true])
    expect(metOf({ ...OUTCOME, curve: [at(0.497), at(0.55)] })).toEqual([true, false, true, true])
    expect(metOf({ ...OUTCOME, unseen: { queries: 1, start: 0.6, end: 0.59 } })).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(metOf({ ...OUTCOME, fraud: 1 })).toEqual([true, true, true, false])
  })

  it('ask for four fifths of what there is to gain where that is less', () => {
    const nearlyBest = { ...OUTCOME, best: 0.53 }
    const last = (learned: number) => [{ sessions: 15, raw: 0.5, learned }]
    expect(metOf({ ...nearlyBest, curve: last(0.5241) })[0]).toBe(true)
    expect(metOf({ ...nearlyBest, curve: last(0.5239) })[0]).toBe(false)
  })
})
