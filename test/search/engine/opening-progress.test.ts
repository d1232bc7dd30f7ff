import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tellProgress } from '../../../src/search/engine/opening-progress.ts'
import { closedGate } from '../../gate.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('an opening that takes long is told with how far it is, and no longer when it is over', async () => {
  const log = { info: vi.fn() }
  const end = closedGate()
  const opening = tellProgress(log, 'books', async (progress) => {
    progress[1] = 5000
    await end.opened
    return progress
  })
  await vi.advanceTimersByTimeAsync(9999)
  expect(log.info).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  const sentence = expect.stringContaining('brought up to date with the records')
  expect(log.info.mock.calls).toEqual([[{ index: 'books', documents: 0, of: 5000 }, sentence]])
  end.open()
  expect((await opening).buffer).toBeInstanceOf(SharedArrayBuffer)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(log.info).toHaveBeenCalledTimes(1)
})

it('of files that lack a few documents, and may lack many, those are told that were brought in', async () => {
  const log = { info: vi.fn() }
  const opening = tellProgress(log, 'books', async (progress) => {
    progress[0] = 7
    await vi.advanceTimersByTimeAsync(10_000)
    throw new Error('gone')
  })
  await expect(opening).rejects.toThrow('gone')
  expect(log.info.mock.calls).toEqual([[{ index: 'books', documents: 7 }, expect.any(String)]])
  expect(vi.getTimerCount()).toBe(0)
})
