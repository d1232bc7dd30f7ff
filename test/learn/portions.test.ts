import { expect, it } from 'vitest'
import { inPortions } from '../../src/learn/portions.ts'

it('all are written, some at a time, in their order; what fails leaves the rest', async () => {
  const items = Array.from({ length: 250 }, (_, at) => at)
  const portions: (readonly number[])[] = []
  await inPortions(items, async (portion) => void portions.push(portion))
  expect(portions.flat()).toEqual(items)
  expect(Math.max(...portions.map(({ length }) => length))).toBeLessThanOrEqual(100)
  const none: unknown[] = []
  await inPortions([], async (portion) => void none.push(portion))
  expect(none).toEqual([])
  const failing = inPortions(items, async (portion) => {
    none.push(portion)
    throw new Error('full')
  })
  await expect(failing).rejects.toThrow('full')
  expect(none).toHaveLength(1)
})
