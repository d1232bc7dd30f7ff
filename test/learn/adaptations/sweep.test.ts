import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS } from '../learner.ts'
import { openWorkshop } from './workshop.ts'

const CHANGES = 40
const LETTERS = 2 ** 20

it('a sweep reads what was sent with one change after another, and holds that of none', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heldBytes = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const store = temporaryStore()
  const { adaptations } = store.tables
  const shop = openWorkshop({}, store)
  for (let at = 0; at < CHANGES; at += 1) {
    const expectedImpact = `${at}`.padStart(LETTERS, 'x')
    const sent = { queryHash: `q${at}`, immediate: true, expectedImpact }
    const { adaptationId } = await shop.apply({ pins: ['b'] }, sent)
    await shop.adaptations.rollBack(adaptationId)
  }

  const growth: number[] = []
  const range = adaptations.range.bind(adaptations)
  vi.spyOn(adaptations, 'range').mockImplementation(function* (asked) {
    const before = heldBytes()
    yield* range(asked)
    growth.push(heldBytes() - before)
  })
  await shop.pass(0)
  expect(growth.length).toBeGreaterThan(0)
  expect(Math.max(...growth)).toBeLessThan((CHANGES * LETTERS) / 4)
  expect(adaptations.count()).toBe(CHANGES)
})

it('what ended goes once it is past retention; what is in force, and what it replaced, stays', async () => {
  const shop = openWorkshop({ RETENTION_MS: String(DAY_MS) }, temporaryStore())
  const ids = async () => {
    const { adaptations } = shop.store.tables
    return [...adaptations.range()].map(({ value }) => value.adaptationId)
  }
  const apply = (pin: string, queryHash: string) =>
    shop.apply({ pins: [pin] }, { queryHash, immediate: true })
  const replaced = await apply('a', 'q')
  const inForce = await apply('b', 'q')
  const ended = await apply('c', 'other')
  await shop.adaptations.rollBack(ended.adaptationId)
  await shop.pass(0)
  expect(await ids()).toContain(ended.adaptationId)
  await shop.pass(2 * DAY_MS)
  expect((await ids()).sort()).toEqual([replaced.adaptationId, inForce.adaptationId].sort())
})

it('what ended goes at its time after the clock was set back', async () => {
  const shop = openWorkshop({ RETENTION_MS: String(DAY_MS) }, temporaryStore())
  await shop.pass(365 * DAY_MS)
  await shop.pass(-365 * DAY_MS)
  const { adaptationId } = await shop.apply({ pins: ['a'] }, { immediate: true })
  await shop.adaptations.rollBack(adaptationId)
  await shop.pass(2 * DAY_MS)
  expect(shop.store.tables.adaptations.count()).toBe(0)
})
