import { expect, it } from 'vitest'
import { openRecent } from '../../../src/learn/impressions/recent.ts'

const parts = (name: string) => ({ head: name, replay: '{}', found: new Uint8Array([1, 2]) })

it('what waits or is under way stays, however many come after it; of what is on the disk the last', () => {
  const recent = openRecent(100_000)
  recent.add('slow', parts('slow'))
  const slow = recent.take()
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      recent.add(`q${at}`, parts(`q${at}`))
      if (at % 100 === 99) recent.settle(recent.take())
    }
  }
  add(0, 5000)
  expect(recent.find('slow')?.includes('slow')).toBe(true)
  expect(recent.find('q0')?.includes('q0')).toBe(true)
  recent.settle(slow)
  expect(recent.size()).toBe(0)
  add(5000, 9000)
  expect([recent.find('slow'), recent.find('q0'), recent.find('q6000')]).toEqual([
    ...[undefined, undefined, undefined],
  ])
  expect(recent.find('q8999')?.includes('q8999')).toBe(true)
})

it('what is forgotten while it is under way keeps nothing behind it', () => {
  const recent = openRecent(100_000)
  recent.add('a', parts('a'))
  const taken = recent.take()
  recent.forget(taken)
  expect(recent.find('a')).toBeUndefined()
  for (let at = 0; at < 1024; at += 1) recent.add(`b${at}`, parts('b'))
  const others = recent.take()
  recent.settle(taken)
  recent.settle(others)
  for (let at = 0; at < 4096; at += 1) {
    recent.add(`c${at}`, parts('c'))
    recent.settle(recent.take())
  }
  expect(recent.find('b0')).toBeUndefined()
})

it('what is lost is found no more; beyond its most nothing is taken', () => {
  const recent = openRecent(2)
  expect(['a', 'b', 'c'].map((name) => recent.add(name, parts(name)))).toEqual([true, true, false])
  recent.lose(recent.take())
  expect([recent.find('a'), recent.size()]).toEqual([undefined, 0])
  expect(recent.add('c', parts('c'))).toBe(true)
})

it('long pages that came to the disk take no more memory than short ones', () => {
  const recent = openRecent(100_000)
  const long = new Uint8Array(200_000)
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 2000; at += 1) {
    recent.add(`q${at}`, { head: '{}', replay: '{}', found: long })
    if (at % 10 === 9) recent.settle(recent.take())
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100e6)
  expect(recent.find('q1999')?.length).toBeGreaterThan(long.length)
})

it('what is put back goes before what has come since', () => {
  const recent = openRecent(10)
  recent.add('a', parts('a'))
  recent.add('b', parts('b'))
  const taken = recent.take()
  recent.add('c', parts('c'))
  recent.putBack(taken)
  expect(recent.take()).toEqual(['a', 'b', 'c'])
})
