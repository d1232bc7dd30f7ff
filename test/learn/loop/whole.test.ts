import { expect, it, onTestFinished } from 'vitest'
import { isFoldedAnew } from '../../../src/learn/loop/fold.ts'
import { whenTaken, whenWhole } from '../../../src/learn/loop/whole.ts'
import { waitUntil } from '../../wait-until.ts'
import { openWorkshop } from '../adaptations/workshop.ts'
import { heldStore } from './held-store.ts'

it('readers are told that all is counted anew when they may wait no longer; those of the history do not wait', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({}, store)
  shop.searchIn(await shop.session())
  await shop.loop.caughtUp()
  onTestFinished(letGo)
  const ended = shop.loop.rebuild()
  await waitUntil(() => isFoldedAnew(store))
  const parts = { store, ...shop.loop, config: { requestTimeoutMs: 300 } }
  await whenTaken(parts)
  await expect(whenWhole(parts, 'read')).rejects.toMatchObject({
    ...{ code: 'TIMED_OUT', retryAfterS: 5 },
    message: expect.stringMatching(/counted anew.* mislead: try again/),
  })
  letGo()
  await ended
  await whenWhole(parts, 'read')
  await whenTaken(parts)
})
