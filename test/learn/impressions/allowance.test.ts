import { expect, it } from 'vitest'
import { openAllowance } from '../../../src/learn/impressions/allowance.ts'

it('lets ten seconds of the rate come at once, and the rate from then on', () => {
  const clock = { nowMs: 0 }
  const allowance = openAllowance(2, () => clock.nowMs)
  const takeAll = (): number => {
    let taken = 0
    while (allowance.take()) taken += 1
    return taken
  }
  expect(takeAll()).toBe(20)
  clock.nowMs = 1500
  expect(takeAll()).toBe(3)
  clock.nowMs = 1e9
  expect(takeAll()).toBe(20)
})

it('takes nothing away when the clock is set back', () => {
  const clock = { nowMs: 3_600_000 }
  const allowance = openAllowance(2, () => clock.nowMs)
  clock.nowMs = 0
  expect(allowance.take()).toBe(true)
})
