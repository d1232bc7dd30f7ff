import { expect, test } from 'vitest'
import { namedError } from '../../src/errors.ts'
import { type Outcome, openSharedHops } from '../../src/threads/shared-hops.ts'

const echo = (waitingMax = 100, begun = () => {}) => {
  const sizes: number[] = []
  const open: (() => void)[] = []
  const hops = openSharedHops(
    async (inputs: number[]): Promise<Outcome<number>[]> => {
      sizes.push(inputs.length)
      await new Promise<void>((resolve) => open.push(resolve))
      return inputs.map((input) =>
        input < 0 ? { error: 'BAD_REQUEST: must not be negative' } : { value: input },
      )
    },
    { hopsMax: 2, waitingMax, named: namedError, begun },
  )
  const letGo = async () => {
    for (const resolve of open.splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { hops, sizes, letGo }
}

test('inputs ride alone while a thread is free, and together once they wait', async () => {
  const { hops, sizes, letGo } = echo()
  const answers = Array.from({ length: 12 }, (_, n) => hops.run(n))
  expect(sizes).toEqual([1, 1])
  expect(hops.waiting()).toBe(10)
  for (let turn = 0; turn < 6; turn++) await letGo()
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 12 }, (_, n) => n))
  expect(Math.max(...sizes)).toBe(4)
  expect(hops.waiting()).toBe(0)
})

test('few that wait are dealt to all threads, not handed to the first that is free', async () => {
  const { hops, sizes, letGo } = echo()
  const answers = Array.from({ length: 6 }, (_, n) => hops.run(n))
  for (let turn = 0; turn < 2; turn++) await letGo()
  expect(sizes.slice(2)).toEqual([2, 1, 1])
  for (let turn = 0; turn < 2; turn++) await letGo()
  expect(await Promise.all(answers)).toHaveLength(6)
})

test('what goes wrong with one does not touch those beside it', async () => {
  const { hops, letGo } = echo()
  const answers = Promise.allSettled([1, 2, 3, -4, 5].map((input) => hops.run(input)))
  for (let turn = 0; turn < 4; turn++) await letGo()
  const settled = await answers
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(settled[3]).toMatchObject({ reason: { code: 'VALIDATION_FAILED' } })
})

test('more than may wait are refused at once', async () => {
  const { hops, letGo } = echo(1)
  const answers = [hops.run(1), hops.run(2), hops.run(3)]
  await expect(hops.run(4)).rejects.toMatchObject({
    ...{ code: 'OVERLOADED', retryAfterS: 1 },
    message: 'More searches are waiting than the setting SEARCH_QUEUE_MAX allows; try again soon.',
  })
  for (let turn = 0; turn < 3; turn++) await letGo()
  expect(await Promise.all(answers)).toEqual([1, 2, 3])
})

test('what nobody waits for any more is not run, and keeps nobody else waiting', async () => {
  const { hops, sizes, letGo } = echo()
  const left = new Set<number>()
  const ask = (n: number) => hops.run(n, () => left.has(n))
  const answers = Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map(ask))
  for (const n of [1, 3, 4, 5, 6, 7]) left.add(n)
  for (let turn = 0; turn < 4; turn++) await letGo()
  const settled = await answers
  // The first had its thread already.
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => n < 3 || n === 8),
  )
  expect(settled[2]).toMatchObject({ reason: { code: 'TIMED_OUT' } })
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3)
})

test('tells of each hop that begins, when it is under way', async () => {
  const begun: number[] = []
  const { hops, sizes, letGo } = echo(100, () => begun.push(sizes.length))
  const answers = [1, 2, 3, 4].map((input) => hops.run(input))
  expect(begun).toEqual([1, 2])
  for (let turn = 0; turn < 3; turn++) await letGo()
  await Promise.all(answers)
  expect(begun).toEqual(sizes.map((_, at) => at + 1))
})
