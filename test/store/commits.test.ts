import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openCommits } from '../../src/store/commits.ts'
import { isCommitRejection } from '../../src/store/failure.ts'

/** A commit that failed, in the shape in which lmdb reports it. */
function failedCommit(code: number): Promise<never> {
  const commitError = Promise.reject(Object.assign(new Error('the cause'), { code }))
  commitError.catch(() => {})
  return Promise.reject(Object.assign(new Error('Commit failed'), { commitError }))
}

function open({
  diskIsFull = false,
  unreadable = undefined as unknown,
  commitMsMax = 20_000,
  isInPlace = () => true,
} = {}) {
  const failures: unknown[] = []
  const commits = openCommits({
    log: { error: () => {} },
    commitMsMax,
    diskIsFull: () => diskIsFull,
    unreadable: () => unreadable,
    isInPlace,
    onFailure: (cause) => failures.push(cause),
  })
  onTestFinished(() => commits.close())
  return { commits, failures }
}

const EIO = 5
const ENOSPC = 28
const MAP_FULL = -30792

describe('a commit', () => {
  it('that wants room is DISK_FULL and stops nothing', async () => {
    const { commits, failures } = open()
    for (const code of [ENOSPC, MAP_FULL])
      await expect(commits.settle(failedCommit(code))).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(commits.refusal()).toBeUndefined()
    expect(failures).toEqual([])
    expect(await commits.settle(Promise.resolve(7))).toBe(7)
  })

  it('that met an I/O error ends all writing, for those who wait too, and says so once', async () => {
    const { commits, failures } = open()
    const waiting = commits.settle(new Promise<never>(() => {}))
    const failing = commits.settle(failedCommit(EIO))
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(failing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', status: 503 })
    await expect(commits.settle(failedCommit(EIO))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect(failures).toHaveLength(1)
    expect(commits.refusal()?.code).toBe('STORE_UNAVAILABLE')
    expect(commits.pending()).toBe(0)
  })

  it('that the full disk took only partly is DISK_FULL, though it is reported as an I/O error', async () => {
    const { commits, failures } = open({ diskIsFull: true })
    await expect(commits.settle(failedCommit(EIO))).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(failures).toEqual([])
  })

  it('that found no room and left a store that nobody can read ends all writing', async () => {
    const panic = new Error('MDB_PANIC')
    const { commits, failures } = open({ unreadable: panic })
    await expect(commits.settle(failedCommit(ENOSPC))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect(failures).toEqual([panic])
  })

  it('that never settles fails at its deadline, and not before', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { commits, failures } = open({ commitMsMax: 50 })
    const failed = commits.settle(new Promise<never>(() => {})).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(50)
    expect(failures).toEqual([])
    // One tick more: it may have begun at the end of one.
    await vi.advanceTimersByTimeAsync(10)
    expect(await failed).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(String(failures[0])).toContain('longer than 50 ms')
  })

  it("passes on the work's own errors as they are", async () => {
    const { commits } = open()
    // An aborted fetch has a code that is a number, too.
    for (const mine of [new Error('mine'), new DOMException('mine', 'AbortError')])
      await expect(commits.settle(Promise.reject(mine))).rejects.toBe(mine)
    expect(commits.refusal()).toBeUndefined()
  })
})

it('the extra rejection of a failed commit is told from any other', async () => {
  const rejection = await failedCommit(EIO).catch((error: unknown) => error)
  expect(isCommitRejection(rejection)).toBe(true)
  expect(isCommitRejection(new Error('a bug'))).toBe(false)
  expect(isCommitRejection(new DOMException('aborted', 'AbortError'))).toBe(false)
  expect(isCommitRejection('text')).toBe(false)
})
