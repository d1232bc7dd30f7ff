import { expect, it } from 'vitest'
import { ERRORS, namedError } from '../src/errors.ts'
import { waitUntil } from './wait-until.ts'

it('what is waited for is asked until it is there, and given', async () => {
  const asked: number[] = []
  const third = await waitUntil(() => asked.push(asked.length) === 3 && `${asked.length} times`)
  expect(third).toBe('3 times')
  await waitUntil(async () => asked.push(0) > 4)
  expect(asked).toHaveLength(5)
})

it('what does not come in time is told as the test says it, by its name if it has one', async () => {
  const startedMs = performance.now()
  const codes = Object.keys(ERRORS)
  await expect(waitUntil(() => codes.length > 1e9, 30)).rejects.toThrow(
    'Waited 30 ms in vain until () => codes.length > 1e9',
  )
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(30)
  const isKnown = () => namedError(codes) === ERRORS
  await expect(waitUntil(isKnown, 0)).rejects.toThrow(
    'until isKnown: () => namedError(codes) === ERRORS',
  )
})

it('a condition that can not be asked fails at once, with the reason', async () => {
  let asked = 0
  const broken = () => {
    asked += 1
    throw new Error('nobody is there')
  }
  await expect(waitUntil(broken)).rejects.toThrow('nobody is there')
  expect(asked).toBe(1)
})
