import { describe, expect, it } from 'vitest'
import { serviceError } from '../../src/errors.ts'
import type { KeptAnswer } from '../../src/schema/answer.ts'
import { openIdempotency } from '../../src/store/idempotency.ts'
import type { Store } from '../../src/store/store.ts'
import { closedGate } from '../gate.ts'
import { temporaryStore } from './open.ts'

const DAY_MS = 86_400_000
const text = (body: Uint8Array) => Buffer.from(body).toString()

function open() {
  const store = temporaryStore()
  const time = { nowMs: 1_000_000 }
  const restart = () =>
    openIdempotency({ store, config: { idempotencyMs: DAY_MS }, clock: () => time.nowMs })
  let calls = 0
  const produce =
    (status = 200) =>
    async (): Promise<KeptAnswer> => ({ status, body: Buffer.from(`answer ${++calls}`) })
  return { store, time, restart, idempotency: restart(), produce, calls: () => calls }
}

describe('a key', () => {
  it('gets the first answer again, also after a restart', async () => {
    const { idempotency, restart, produce } = open()
    const first = await idempotency.run('k', 'POST /a', 'hash', produce())
    expect([first.status, text(first.body), first.replayed]).toEqual([200, 'answer 1', false])
    for (const reader of [idempotency, restart()]) {
      const again = await reader.run('k', 'POST /a', 'hash', produce())
      expect([again.status, text(again.body), again.replayed]).toEqual([200, 'answer 1', true])
    }
  })

  it('gets its headers again, and what it counts as', async () => {
    const { idempotency, restart } = open()
    const headers = { etag: '"1"' }
    const made = { status: 201, body: Buffer.from('{}'), headers, errorCode: 'SOME_CODE' }
    await idempotency.run('k', 'POST /a', 'hash', async () => made)
    for (const reader of [idempotency, restart()]) {
      const again = await reader.run('k', 'POST /a', 'hash', async () => made)
      expect(again).toMatchObject({ headers, errorCode: 'SOME_CODE', replayed: true })
    }
  })

  it('that comes with another body or for another route is a conflict, also while the first is under way', async () => {
    const { idempotency, produce } = open()
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', status: 409 }
    const end = closedGate()
    const first = idempotency.run('k', 'POST /a', 'hash', async () => {
      await end.opened
      return produce()()
    })
    await expect(idempotency.run('k', 'POST /a', 'other', produce())).rejects.toMatchObject(
      conflict,
    )
    end.open()
    await first
    await expect(idempotency.run('k', 'POST /a', 'other', produce())).rejects.toMatchObject(
      conflict,
    )
    await expect(idempotency.run('k', 'POST /b', 'hash', produce())).rejects.toMatchObject(conflict)
  })

  it('sent many times at once runs once', async () => {
    const { idempotency, produce, calls } = open()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => idempotency.run('k', 'POST /a', 'hash', produce())),
    )
    expect(calls()).toBe(1)
    expect(new Set(answers.map(({ body }) => text(body)))).toEqual(new Set(['answer 1']))
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
  })

  it('whose first body came bit by bit is waited for; one that failed leaves it to one of those who waited', async () => {
    const { idempotency, produce, calls } = open()
    for (const [hash, replayed] of [
      ['hash', [true, true]],
      [undefined, [false, true]],
    ] as const) {
      const end = closedGate()
      const bits = { hash: async () => 'hash', hashed: () => hash }
      const key = `k ${hash}`
      const first = idempotency.run(key, 'r', bits, () => end.opened.then(produce(400)))
      const next = [
        idempotency.run(key, 'r', 'hash', produce()),
        idempotency.run(key, 'r', 'hash', produce()),
      ]
      const another = idempotency.run(key, 'r', { ...bits, hash: async () => 'x' }, produce())
      const refused = expect(another).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
      end.open()
      expect((await first).replayed).toBe(false)
      expect((await Promise.all(next)).map((each) => each.replayed)).toEqual(replayed)
      await refused
    }
    expect(calls()).toBe(3)
  })

  it('keeps a client error, and neither a failure of ours nor an exception', async () => {
    const { idempotency, produce, calls } = open()
    expect((await idempotency.run('four', 'r', 'h', produce(404))).replayed).toBe(false)
    expect((await idempotency.run('four', 'r', 'h', produce(404))).replayed).toBe(true)
    await idempotency.run('five', 'r', 'h', produce(503))
    expect((await idempotency.run('five', 'r', 'h', produce(200))).replayed).toBe(false)
    const thrown = idempotency.run('thrown', 'r', 'h', async () => {
      throw serviceError('OVERLOADED', 'no')
    })
    await expect(thrown).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect((await idempotency.run('thrown', 'r', 'h', produce())).replayed).toBe(false)
    expect(calls()).toBe(4)
  })

  it('whose request is noted as done, but has no answer, does nothing again until its time is over', async () => {
    const { idempotency, restart, store, time, produce, calls } = open()
    const begun = idempotency.run('k', 'r', 'h', async (noteDone) => {
      await store.write(noteDone)
      throw new Error('killed here')
    })
    await expect(begun).rejects.toThrow('killed here')
    const again = (body: string) => restart().run('k', 'r', body, produce())
    const refused = { code: 'IDEMPOTENCY_CONFLICT' }
    await expect(again('h')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('done before'),
    })
    await expect(again('other')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('another request'),
    })
    expect(calls()).toBe(0)
    time.nowMs += DAY_MS
    expect(await idempotency.sweep(time.nowMs)).toBe(1)
    expect((await again('h')).replayed).toBe(false)
  })

  it('whose body arrives bit by bit is noted once all of it has come', async () => {
    const { restart, store, produce } = open()
    const arriving = { hashed: (): string | undefined => undefined, hash: async () => 'h' }
    const killed = (key: string, hashed: string | undefined) =>
      restart().run(key, 'r', { ...arriving, hashed: () => hashed }, async (noteDone) => {
        await store.write(noteDone)
        throw new Error('killed here')
      })
    await expect(killed('cut', undefined)).rejects.toThrow('killed here')
    await expect(killed('whole', 'h')).rejects.toThrow('killed here')
    expect((await restart().run('cut', 'r', 'other', produce())).replayed).toBe(false)
    await expect(restart().run('whole', 'r', arriving, produce())).rejects.toMatchObject({
      message: expect.stringContaining('done before'),
    })
  })

  it('leaves no note of what its transaction did not do', async () => {
    const { idempotency, store, produce } = open()
    const failing = idempotency.run('k', 'r', 'h', async (noteDone) => {
      await store.write(() => {
        noteDone()
        throw new Error('no room')
      })
      return { status: 200, body: Buffer.from('') }
    })
    await expect(failing).rejects.toThrow('no room')
    expect((await idempotency.run('k', 'r', 'h', produce())).replayed).toBe(false)
  })

  it('may be used anew when its time is over', async () => {
    const { idempotency, store, time, produce } = open()
    await idempotency.run('k', 'r', 'h', produce())
    time.nowMs += DAY_MS - 1
    expect((await idempotency.run('k', 'r', 'h', produce())).replayed).toBe(true)
    time.nowMs += 1
    expect((await idempotency.run('k', 'r', 'another', produce())).replayed).toBe(false)
    // What is due is the first answer, and that is gone: the second stays.
    expect(await idempotency.sweep(time.nowMs)).toBe(1)
    expect((await idempotency.run('k', 'r', 'another', produce())).replayed).toBe(true)
    time.nowMs += DAY_MS
    expect(await idempotency.sweep(time.nowMs)).toBe(1)
    expect(store.tables.idempotency.count()).toBe(0)
    expect(store.tables.idempotencyExpiry.count()).toBe(0)
  })

  it('is forgotten when its time is over, however many others are due', async () => {
    const { idempotency, store, time, produce } = open()
    const keys = Array.from({ length: 1100 }, (_, at) => `k${at}`)
    await Promise.all(keys.map((key) => idempotency.run(key, 'r', 'h', produce())))
    time.nowMs += DAY_MS
    expect(await idempotency.sweep(time.nowMs)).toBe(1100)
    expect(store.tables.idempotency.count()).toBe(0)
  })

  it('must be 1 to 255 printable characters', async () => {
    const { idempotency, produce } = open()
    for (const key of ['', 'x'.repeat(256), 'a\nb', 'é'])
      await expect(idempotency.run(key, 'r', 'h', produce())).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      })
    await idempotency.run('x'.repeat(255), 'r', 'h', produce())
  })
})

it('an answer that there is no room to keep is given all the same', async () => {
  const { store } = open()
  const full: Store = { ...store, write: () => Promise.reject(new Error('full')) }
  const once = openIdempotency({ store: full, config: { idempotencyMs: DAY_MS } })
  const made = { status: 200, body: Buffer.from('made') }
  const answer = await once.run('k', 'POST /a', 'hash', () => Promise.resolve(made))
  expect(answer).toMatchObject({ ...made, replayed: false })
})
