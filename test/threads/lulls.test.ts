import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLulls } from '../../src/threads/lulls.ts'

it('waits for nothing while nobody searches', async () => {
  const { next } = openLulls()
  const lull = next().then(() => 'at once')
  expect(await Promise.race([lull, turn('in another turn')])).toBe('at once')
})

it('waits for the next search that is handed over, and lets what came with it go first', async () => {
  const lulls = openLulls()
  const order: string[] = []
  lulls.note()
  const next = lulls.next().then(() => order.push('lull'))
  await Promise.resolve()
  order.push('nothing yet')
  lulls.note()
  await Promise.resolve()
  order.push('handed over')
  await turn()
  await next
  expect(order).toEqual(['nothing yet', 'handed over', 'lull'])
})

it('waits no longer than a moment when no further search comes', async () => {
  const lulls = openLulls()
  lulls.note()
  let isOver = false
  const next = lulls.next().then(() => {
    isOver = true
  })
  await Promise.resolve()
  expect(isOver).toBe(false)
  await next
})
