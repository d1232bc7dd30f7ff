import { expect, it } from 'vitest'
import { diskFull } from '../../src/store/failure.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryStore, until } from '../store/open.ts'
import { openLearner } from './learner.ts'

/** A store whose disk can be filled and freed. */
function openFillable(): { store: Store; disk: { full: boolean; refused: number } } {
  const real = temporaryStore()
  const disk = { full: false, refused: 0 }
  const write: Store['write'] = (work) => {
    if (!disk.full) return real.write(work)
    disk.refused += 1
    return Promise.reject(diskFull())
  }
  return { store: { ...real, write }, disk }
}

it('shows readers what was learned before when the disk is full, and goes on when there is room', async () => {
  const { store, disk } = openFillable()
  const learner = openLearner(store)
  const sessionId = await learner.session()
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  const before = await learner.added()
  await learner.tell(sessionId, learner.search(sessionId, ['c', 'd']), 'd')
  disk.full = true
  expect(await learner.added()).toEqual(before)
  const refused = disk.refused
  for (let reader = 0; reader < 100; reader++) expect(await learner.added()).toEqual(before)
  // Readers are no reason to try more often.
  expect(disk.refused - refused).toBeLessThan(5)
  disk.full = false
  await until(() => learner.loop.position() === learner.log.journal.last())
  expect(Object.keys(await learner.added()).sort()).toEqual(['a', 'b', 'c', 'd'])
  await learner.close()
}, 20_000)
