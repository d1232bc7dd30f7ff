import { expect, it, onTestFinished } from 'vitest'
import { isFoldedAnew } from '../../../src/learn/loop/fold.ts'
import { caughtUpToRead, caughtUpUnlessAnew } from '../../../src/learn/loop/whole.ts'
import { until } from '../../store/open.ts'
import { openWorkshop } from '../adaptations/workshop.ts'
import { heldStore } from './held-store.ts'

it('readers are told that all is counted anew when they may wait no longer; those of the history do not wait', async () => {
  const { store, letGo } = heldStore()
  const shop = openWorkshop({}, store)
  const session = await shop.session()
  shop.searchIn(session)
  await shop.loop.caughtUp()
  onTestFinished(letGo)
  const ended = shop.loop.rebuild()
  await until(() => isFoldedAnew(store))
  shop.searchIn(session)
  const parts = { store, ...shop.loop, config: { requestTimeoutMs: 300 } }
  await caughtUpUnlessAnew(parts)
  await expect(caughtUpToRead(parts)).rejects.toMatchObject({
    ...{ code: 'TIMED_OUT', retryAfterS: 5 },
    message: expect.stringMatching(/counted anew.* mislead: try again/),
  })
  letGo()
  await ended
  await caughtUpToRead(parts)
  await caughtUpUnlessAnew(parts)
})
