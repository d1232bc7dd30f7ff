import { expect, it } from 'vitest'
import { openHiddenSessions } from '../../../src/learn/sessions/hidden-sessions.ts'

it('a session is hidden while it is being forgotten, and remembered as forgotten when it is off the disk', () => {
  const { hide, show, settle, isHidden, isForgotten } = openHiddenSessions()
  const told = (id: string) => [isHidden(id), isForgotten(id)]
  expect(told('a')).toEqual([false, false])
  hide(['a', 'b'])
  expect([told('a'), told('b'), told('c')]).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ])
  show(['b'])
  settle(['a'])
  expect([told('a'), told('b')]).toEqual([
    [false, true],
    [false, false],
  ])
  expect(isForgotten('A')).toBe(true)
})

it('of those that are off the disk the last ones are remembered', () => {
  const { settle, isForgotten } = openHiddenSessions()
  const ids = Array.from({ length: 100_001 }, (_, at) => `s${at}`)
  settle(ids)
  expect(['s0', 's1', 's100000'].map(isForgotten)).toEqual([false, true, true])
})
