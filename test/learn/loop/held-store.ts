import { isFoldedAnew } from '../../../src/learn/loop/fold.ts'
import type { Store } from '../../../src/store/store.ts'
import { closedGate } from '../../gate.ts'
import { temporaryStore } from '../../store/open.ts'

/** A store in which a fold anew, once it has emptied what was learned, goes on only when it is let. */
export function heldStore(): { store: Store; letGo: () => void } {
  const own = temporaryStore()
  const foldAnew = closedGate()
  const release: Store['release'] = async (work) => {
    const done = await own.release(work)
    if (isFoldedAnew(own)) await foldAnew.opened
    return done
  }
  return { store: { ...own, release }, letGo: foldAnew.open }
}
