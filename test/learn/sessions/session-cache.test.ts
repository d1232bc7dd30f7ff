import { expect, it } from 'vitest'
import { openSessionCache } from '../../../src/learn/sessions/session-cache.ts'
import type { SessionRecord } from '../../../src/schema/session.ts'
import { processorMs } from '../../processor-time.ts'

const record: SessionRecord = { createdMs: 1.5, lastSeenMs: 2.5, metadata: '{}' }

it('forgets the least recently used, whatever is read, renewed and removed in between', () => {
  const cache = openSessionCache(50)
  // What is kept, the least recently used first.
  let kept: string[] = []
  let state = 7
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const others = (id: string) => kept.filter((one) => one !== id)
  for (let step = 0; step < 20_000; step++) {
    const id = `s${random(step % 1000 < 500 ? 60 : 5000)}`
    const act = random(10)
    if (act === 0) {
      cache.remove(id)
      kept = others(id)
    } else if (act < 5) {
      const isKept = kept.includes(id)
      expect(cache.get(id) !== undefined, `step ${step}`).toBe(isKept)
      if (isKept) kept = [...others(id), id]
    } else {
      cache.set(id, record)
      kept = [...others(id), id].slice(-50)
    }
    expect(cache.size()).toBe(kept.length)
  }
  for (const id of kept) expect(cache.get(id)).toBe(record)
})

it('counts two bytes for each character of a text that has one beyond Latin-1', () => {
  const cache = openSessionCache(50)
  const bytesOf = (more: Partial<SessionRecord>) => {
    const before = cache.bytes()
    cache.set(`s${cache.size()}`, { ...record, ...more })
    return cache.bytes() - before
  }
  const bare = bytesOf({})
  expect(bytesOf({ userId: 'é'.repeat(100) })).toBe(bare + 100)
  expect(bytesOf({ userId: `${'e'.repeat(99)}ő` })).toBe(bare + 200)
  expect(bytesOf({ clientId: '京'.repeat(100) })).toBe(bare + 200)
  expect(bytesOf({ metadata: '{"a":"ő"}' })).toBe(bare + 2 * 9 - 2)
})

it('forgets the least recently used when they take too much together, however few they are', () => {
  const cache = openSessionCache(50, 10_000)
  const large = { ...record, metadata: JSON.stringify('x'.repeat(3000)) }
  for (const id of ['a', 'b', 'c']) cache.set(id, large)
  expect(cache.get('a')).toBe(large)
  cache.set('d', large)
  const kept = ['a', 'b', 'c', 'd'].filter((id) => cache.get(id) !== undefined)
  expect(kept).toEqual(['a', 'c', 'd'])
  expect(cache.bytes()).toBeLessThanOrEqual(10_000)
})

it('takes in a session as quickly when it is full as when it is not', () => {
  const fill = (sessionsMax: number): number => {
    const cache = openSessionCache(sessionsMax)
    for (let n = 0; n < 60_000; n++) cache.set(`s${n}`, record)
    return processorMs(() => {
      for (let n = 60_000; n < 110_000; n++) cache.set(`s${n}`, record)
    }, 1)
  }
  const roomyMs = Math.min(fill(200_000), fill(200_000))
  // Starting each time from the first place that was ever used would take some thirty times as long.
  expect(Math.min(fill(60_000), fill(60_000))).toBeLessThan(8 * roomyMs)
})
