import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSessions, type Sessions } from '../../../src/learn/sessions/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { runOn } from '../learner.ts'

const MINUTE_MS = 60_000
const config = {
  sessionIdleMs: 30 * MINUTE_MS,
  sessionAbsoluteMs: 24 * 60 * MINUTE_MS,
  sessionCacheMax: 100,
  retentionMs: 30 * 24 * 60 * MINUTE_MS,
}
const START_MS = Date.UTC(2026, 0, 1)

interface Opened {
  sessions: Sessions
  store: Store
  time: { nowMs: number }
  /** The same store as a process would find it that starts now. */
  restart: () => Sessions
}

function open(changed: Partial<typeof config> = {}): Opened {
  const store = temporaryStore()
  const time = { nowMs: START_MS }
  const restart = () => {
    const sessions = openSessions({
      store,
      config: { ...config, ...changed },
      clock: () => time.nowMs,
    })
    onTestFinished(() => sessions.close())
    return sessions
  }
  return { sessions: restart(), store, time, restart }
}

describe('a session', () => {
  it('is durable and readable when its creation resolves, with its metadata unchanged', async () => {
    const { sessions, store, restart } = open()
    const metadata = {
      a: [1, 2.5, null, true],
      'ü/"\\': { '': '😀' },
      big: 12345678901234,
      zero: 0,
    }
    const made = await sessions.create({ clientId: 'web', userId: 'u1', metadata })
    expect(made).toEqual({
      sessionId: made.sessionId,
      created: '2026-01-01T00:00:00.000Z',
      metadata,
    })
    expect(made.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
    expect(store.tables.sessions.has(made.sessionId)).toBe(true)
    for (const reader of [sessions, restart()])
      expect(reader.get(made.sessionId)).toEqual({
        sessionId: made.sessionId,
        status: 'ACTIVE',
        created: '2026-01-01T00:00:00.000Z',
        lastSeen: '2026-01-01T00:00:00.000Z',
        clientId: 'web',
        userId: 'u1',
        metadata,
      })
  })

  it('with an empty userId has no user: visitors who are not logged in are not one person', async () => {
    const { sessions } = open()
    const { sessionId } = await sessions.create({ userId: '', clientId: 'web' })
    expect(sessions.peek(sessionId)).toMatchObject({ userId: undefined, clientId: 'web' })
    expect(sessions.get(sessionId)).toMatchObject({ userId: '' })
  })

  it('needs no field at all', async () => {
    const { sessions } = open()
    const { sessionId, metadata } = await sessions.create({})
    expect(metadata).toEqual({})
    expect(sessions.get(sessionId)).toMatchObject({ status: 'ACTIVE', metadata: {} })
  })

  it('takes 8 KiB of metadata and not one byte more, counted in UTF-8', async () => {
    const { sessions } = open()
    const sized = (bytes: number) => ({ t: 'é'.repeat((bytes - 8) / 2) })
    expect(Buffer.byteLength(JSON.stringify(sized(8192)))).toBe(8192)
    await sessions.create({ metadata: sized(8192) })
    await expect(sessions.create({ metadata: sized(8194) })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'metadata' }],
    })
  })

  it('that nobody made is not found, whatever its name', () => {
    const { sessions } = open()
    for (const id of ['', 'x', 'x'.repeat(5000), '\0', '019b0000-0000-7000-8000-000000000000']) {
      expect(() => sessions.get(id)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
      expect(sessions.peek(id)).toBeUndefined()
      expect(sessions.totals.of(id)).toEqual({ searches: 0, clicks: 0, feedback: 0, events: 0 })
      sessions.touch(id)
    }
  })
})

describe('expiry', () => {
  it('comes after 30 idle minutes, slides with each touch, and is final', async () => {
    const { sessions, time } = open()
    const { sessionId } = await sessions.create({ userId: 'u' })
    time.nowMs += 30 * MINUTE_MS
    expect(sessions.get(sessionId).status).toBe('ACTIVE')
    sessions.touch(sessionId)
    time.nowMs += 30 * MINUTE_MS
    expect(sessions.peek(sessionId)).toEqual({ sessionId, userId: 'u', metadata: {}, active: true })
    time.nowMs += 1
    expect(sessions.get(sessionId).status).toBe('EXPIRED')
    sessions.touch(sessionId)
    expect(sessions.peek(sessionId)?.active).toBe(false)
  })

  it('comes 24 hours after creation however busy the session is', async () => {
    const { sessions, time } = open()
    const { sessionId } = await sessions.create({})
    const endMs = START_MS + config.sessionAbsoluteMs
    while (time.nowMs < endMs) {
      sessions.touch(sessionId)
      time.nowMs = Math.min(endMs, time.nowMs + 29 * MINUTE_MS)
    }
    expect(sessions.get(sessionId).status).toBe('ACTIVE')
    time.nowMs += 1
    expect(sessions.get(sessionId).status).toBe('EXPIRED')
  })

  it('comes once the clock is right, also to one that was seen while it was years ahead', async () => {
    const { sessions, time } = open()
    const YEARS_MS = 10 * 365 * 24 * 60 * MINUTE_MS
    const { sessionId: before } = await sessions.create({})
    time.nowMs += YEARS_MS
    const { sessionId } = await sessions.create({})
    expect(sessions.get(before).status).toBe('EXPIRED')
    time.nowMs -= YEARS_MS
    expect(sessions.get(before).status).toBe('ACTIVE')
    // Who searches meanwhile hears of nothing.
    sessions.touch(sessionId)
    expect(sessions.get(sessionId).status).toBe('ACTIVE')
    runOn(60 * MINUTE_MS)
    sessions.touch(sessionId)
    expect(sessions.get(sessionId).lastSeen).toBe(new Date(time.nowMs).toISOString())
    time.nowMs += 30 * MINUTE_MS
    expect(sessions.get(sessionId).status).toBe('ACTIVE')
    time.nowMs += 1
    expect(sessions.get(sessionId).status).toBe('EXPIRED')
  })

  it('comes a day after the clock is right to one that was made while it was ahead, however often it is seen', async () => {
    const { sessions, time } = open()
    time.nowMs += 60 * 24 * 60 * MINUTE_MS
    const { sessionId } = await sessions.create({})
    time.nowMs -= 60 * 24 * 60 * MINUTE_MS
    sessions.touch(sessionId)
    runOn(60 * MINUTE_MS)
    const see = (times: number) => {
      for (let at = 0; at < times; at += 1) {
        sessions.touch(sessionId)
        time.nowMs += 20 * MINUTE_MS
      }
      return sessions.get(sessionId).status
    }
    expect(see(3 * 24)).toBe('ACTIVE')
    expect(see(1)).toBe('EXPIRED')
  })

  it.each([
    ['was set back for half an hour', 2 * 60 * MINUTE_MS, 30 * MINUTE_MS],
    ['began years behind', START_MS, 5 * 60 * MINUTE_MS],
  ])('does not come early where the clock %s', async (_, backMs, wrongMs) => {
    const { sessions, time } = open()
    const { sessionId } = await sessions.create({})
    time.nowMs -= backMs
    for (let at = 0; at < 5; at += 1) {
      sessions.touch(sessionId)
      runOn(wrongMs / 5)
    }
    time.nowMs = START_MS + 20 * MINUTE_MS
    expect(sessions.get(sessionId).status).toBe('ACTIVE')
  })

  it('counts touches that were flushed, also after a restart', async () => {
    const { sessions, time, restart } = open()
    const { sessionId } = await sessions.create({})
    time.nowMs += 20 * MINUTE_MS
    sessions.touch(sessionId)
    await sessions.flush()
    time.nowMs += 20 * MINUTE_MS
    expect(restart().get(sessionId)).toMatchObject({
      status: 'ACTIVE',
      lastSeen: '2026-01-01T00:20:00.000Z',
    })
  })

  it('leaves the analytics for 30 days, then all is removed, the oldest first', async () => {
    const { sessions, store, time } = open()
    const old = await sessions.create({})
    await store.put('sessionTotals', old.sessionId, {
      searches: 3,
      clicks: 1,
      feedback: 0,
      events: 2,
    })
    time.nowMs += MINUTE_MS
    const young = await sessions.create({})
    const dueMs = START_MS + config.sessionAbsoluteMs + config.retentionMs
    expect(await sessions.sweep(dueMs)).toBe(0)
    time.nowMs = dueMs
    expect(sessions.analytics(old.sessionId)).toMatchObject({
      status: 'EXPIRED',
      searches: 3,
      clicks: 1,
      feedback: 0,
      events: 2,
    })
    expect(await sessions.sweep(dueMs + 1)).toBe(1)
    expect(() => sessions.analytics(old.sessionId)).toThrow('id of a session')
    expect(store.tables.sessionTotals.count()).toBe(0)
    expect(sessions.analytics(young.sessionId).searches).toBe(0)
  })

  it('are removed however many have ended since the last round', async () => {
    const { sessions, store } = open()
    await Promise.all(Array.from({ length: 1500 }, () => sessions.create({})))
    const dueMs = START_MS + config.sessionAbsoluteMs + config.retentionMs
    expect(await sessions.sweep(dueMs + MINUTE_MS)).toBe(1500)
    expect(store.tables.sessions.count()).toBe(0)
  })
})

describe('the cache', () => {
  it('forgets the least recently used, which the store still knows', async () => {
    const { sessions, time } = open({ sessionCacheMax: 3 })
    const ids: string[] = []
    for (let n = 0; n < 10; n++) ids.push((await sessions.create({ userId: `u${n}` })).sessionId)
    time.nowMs += MINUTE_MS
    sessions.touch(ids[0] ?? '')
    expect(ids.map((id) => sessions.peek(id)?.userId)).toEqual(ids.map((_, n) => `u${n}`))
    // A touch is not forgotten with the cache's entry.
    expect(sessions.get(ids[0] ?? '').lastSeen).toBe('2026-01-01T00:01:00.000Z')
  })

  it('loses no touch that comes while earlier ones are written, or whose write fails', async () => {
    const { sessions, store, time } = open()
    const { sessionId } = await sessions.create({})
    const touch = () => {
      time.nowMs += MINUTE_MS
      sessions.touch(sessionId)
    }
    touch()
    const flushed = sessions.flush()
    touch()
    await flushed
    const stored = () => store.tables.sessions.get(sessionId)?.lastSeenMs
    await sessions.flush()
    expect(stored()).toBe(time.nowMs)
    touch()
    const write = vi.spyOn(store, 'write').mockRejectedValueOnce(new Error('full'))
    await expect(sessions.flush()).rejects.toThrow('full')
    write.mockRestore()
    await sessions.flush()
    expect(stored()).toBe(time.nowMs)
  })

  it('reports the bytes that it holds, and the most it held', async () => {
    const { sessions } = open({ sessionCacheMax: 1 })
    const megabytes = async () => {
      const { used, peak } = (await sessions.health()).memory
      expect([used, peak].join()).toMatch(/^\d+\.\dMB,\d+\.\dMB$/)
      return [Number.parseFloat(used), Number.parseFloat(peak)]
    }
    expect(await megabytes()).toEqual([0, 0])
    const large = open({ sessionCacheMax: 1000 }).sessions
    await Promise.all(
      Array.from({ length: 500 }, () => large.create({ metadata: { t: 'x'.repeat(8000) } })),
    )
    const used = Number.parseFloat((await large.health()).memory.used)
    expect(used).toBeGreaterThan(3.8)
    expect(used).toBeLessThan(4.5)
  })
})

it('a session is one in any spelling, also while it is hidden', async () => {
  const { sessions } = open()
  const { sessionId } = await sessions.create({ userId: 'u' })
  const spellings = [sessionId, sessionId.toUpperCase()]
  const known = { sessionId, userId: 'u', clientId: undefined, metadata: {}, active: true }
  expect(spellings.map(sessions.peek)).toEqual([known, known])
  sessions.hide([sessionId])
  expect(spellings.map(sessions.peek)).toEqual([undefined, undefined])
  sessions.show([sessionId])
  expect(spellings.map(sessions.peek)).toEqual([known, known])
})
