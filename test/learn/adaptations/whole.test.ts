import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isFoldedAnew, RELEARNING } from '../../../src/learn/loop/fold.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { waitUntil } from '../../wait-until.ts'
import { MINUTE_MS, QUERY_HASH } from '../learner.ts'
import { heldStore } from '../loop/held-store.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const PINS = { pins: ['b'] }
const OF_QUERY = { queryHash: QUERY_HASH }

/** So many searches of a query, each with a click on a document. */
async function click(shop: Workshop, searches: number, id = 'c'): Promise<void> {
  for (let n = 0; n < searches; n += 1) {
    const session = await shop.session()
    const queryId = shop.searchIn(session)
    await shop.log.flush()
    await shop.tell(session, queryId, id)
  }
  await shop.loop.caughtUp()
}

/** As a request applies it. */
async function pin(shop: Workshop): ReturnType<Workshop['apply']> {
  await shop.whole()
  return shop.apply(PINS, OF_QUERY)
}

async function holdFold(shop: Workshop, letGo: () => void): Promise<{ ended: Promise<void> }> {
  // Whatever fails, it must end before the store is closed.
  onTestFinished(letGo)
  const ended = shop.loop.rebuild()
  await waitUntil(() => isFoldedAnew(shop.store))
  return { ended }
}

it('a change is judged by all that was learned, also while that is learned anew', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({}, store)
  await click(shop, 12)
  const before = await pin(shop)
  expect(before).toMatchObject({ validation: { samples: 12 }, metrics: { before: { ctr: 1 } } })
  await shop.adaptations.rollBack(before.adaptationId)
  const { ended } = await holdFold(shop, letGo)
  const applying = pin(shop)
  expect(await Promise.race([applying, sleep(300, 'nothing yet')])).toBe('nothing yet')
  letGo()
  await ended
  const { validation, metrics } = await applying
  expect(validation).toEqual(before.validation)
  expect(metrics.before).toEqual(before.metrics.before)
})

it('a change that would wait too long is refused, and not applied later', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({ REQUEST_TIMEOUT_MS: '1000' }, store)
  await click(shop, 1)
  const { ended } = await holdFold(shop, letGo)
  await expect(pin(shop)).rejects.toMatchObject({
    ...{ code: 'TIMED_OUT', retryAfterS: 5 },
    message: expect.stringContaining('try again in some seconds'),
  })
  letGo()
  await ended
  expect(await shop.listed()).toEqual([])
  expect((await pin(shop)).validation.samples).toBe(1)
})

it('who waits for all to be counted is told when it is, and asks the store no further', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({}, store)
  await click(shop, 1)
  const { ended } = await holdFold(shop, letGo)
  const asking = vi.spyOn(store.tables.meta, 'get')
  onTestFinished(() => asking.mockRestore())
  const asked = () => asking.mock.calls.filter(([name]) => name === RELEARNING).length
  const applying = pin(shop)
  await sleep(20)
  const before = asked()
  await sleep(500)
  expect(asked()).toBe(before)
  letGo()
  await ended
  expect((await applying).validation.samples).toBe(1)
})

it('a change waits within one time limit, also when all is counted anew while it catches up', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({ REQUEST_TIMEOUT_MS: '1000' }, store)
  await click(shop, 1)
  const session = await shop.session()
  await shop.tell(session, shop.searchIn(session), 'c')
  const applying = pin(shop)
  const { ended } = await holdFold(shop, letGo)
  await shop.tell(session, shop.searchIn(session), 'd')
  const message = expect.stringContaining('counted anew')
  await expect(applying).rejects.toMatchObject({ code: 'TIMED_OUT', message })
  letGo()
  await ended
  expect(await shop.listed()).toEqual([])
})

it('a change that would wait too long for the latest clicks is refused, and not applied later', async () => {
  const own = temporaryStore()
  let isSlow = false
  let taken = false
  // Only the processor writes meanwhile.
  const write: Store['write'] = async (work) => {
    if (isSlow) await sleep(1800)
    taken ||= isSlow
    return own.write(work)
  }
  const shop = openWorkshop({ REQUEST_TIMEOUT_MS: '1000' }, { ...own, write })
  await click(shop, 1)
  const session = await shop.session()
  await shop.tell(session, shop.searchIn(session), 'c')
  isSlow = true
  const message = expect.stringContaining('not counted yet')
  await expect(pin(shop)).rejects.toMatchObject({ code: 'TIMED_OUT', message })
  await waitUntil(() => taken)
  isSlow = false
  await shop.loop.caughtUp()
  expect(await shop.listed()).toEqual([])
})

it('a suggestion is judged by all that was learned, also while that is learned anew', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({}, store)
  await click(shop, 12)
  const { ended } = await holdFold(shop, letGo)
  const patterns = { averageRelevance: 0.3 }
  const suggested = { ...OF_QUERY, patterns, confidence: 0.9 }
  const suggesting = shop.whole().then(() => shop.adaptations.suggest(suggested))
  expect(await Promise.race([suggesting, sleep(300, 'nothing yet')])).toBe('nothing yet')
  letGo()
  await ended
  expect((await suggesting).rule?.changes).toEqual({
    boosts: [{ id: 'c', index: 'shop', value: 0.2 }],
  })
})

it('nothing is proposed from a part of what was learned, also when a fold begins behind a judgement', async () => {
  const shop = openWorkshop()
  const { meta } = shop.store.tables
  await click(shop, 12, 'h')
  await shop.apply({ minScore: 0.5 })
  shop.clock.nowMs += 60 * MINUTE_MS
  const ticking = shop.adaptations.tick(shop.clock.nowMs)
  await shop.store.write(() => meta.put(RELEARNING, 0))
  await ticking
  expect((await shop.suggestions()).suggestions).toEqual([])
  await shop.store.write(() => meta.remove(RELEARNING))
  await shop.adaptations.tick(shop.clock.nowMs)
  expect((await shop.suggestions()).suggestions).toMatchObject([{ kind: 'click_far_down' }])
})
