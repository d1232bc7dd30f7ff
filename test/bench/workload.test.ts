import { describe, expect, it } from 'vitest'
import { judge, listWorkloads, readWorkload } from '../../bench/workload.ts'

describe('workloads', () => {
  it('are named as their files, measure something, and say what', () => {
    const names = listWorkloads()
    expect(names).toContain('scifact-hybrid')
    for (const name of names) {
      const workload = readWorkload(name)
      expect(workload.name).toBe(name)
      expect(workload.about).not.toBe('')
      expect(workload.connections.length).toBeGreaterThan(0)
      for (const bar of workload.bars) expect(bar.atLeast ?? bar.atMost).toBeTypeOf('number')
    }
  })

  it('tell which names there are when asked for another', () => {
    expect(() => readWorkload('nothing')).toThrow(/There is no workload "nothing".*scifact-text/)
  })
})

describe('bars', () => {
  const workload = readWorkload('sessions')

  it('are met or missed on the right side', () => {
    const rows = judge(workload, [
      { name: 'c32 rate', value: 15_599, unit: 'sessions/s' },
      { name: 'c32 p99', value: 5, unit: 'ms' },
      { name: 'c32 p50', value: 1, unit: 'ms' },
    ])
    expect(rows.map(({ met }) => met)).toEqual([false, true, undefined])
  })

  it('are never passed over in silence', () => {
    expect(() => judge(workload, [{ name: 'c32 rate', value: 1, unit: 'sessions/s' }])).toThrow(
      /c32 p99/,
    )
  })
})
