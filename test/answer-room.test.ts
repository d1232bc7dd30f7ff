import { expect, it } from 'vitest'
import { LONG_BYTES, openAnswerRoom, openClaims } from '../src/answer-room.ts'

const MIB = 1 << 20
const full = (reach: (bytes: number) => number, bytes: number) => () => reach(bytes)

it('an answer that is being made has what others leave, and gives it back when there is too little', () => {
  const room = openAnswerRoom(10 * MIB)
  const [one, other] = [openClaims(room.memory), openClaims(room.memory)]
  expect(one.reach(6 * MIB)).toBe(6 * MIB)
  expect(other.reach(4 * MIB)).toBe(4 * MIB)
  expect(full(other.reach, 4 * MIB + 1)).toThrow(/^OVERLOADED: .*ANSWERS_BYTES_MAX/)
  expect(one.reach(10 * MIB)).toBe(10 * MIB)
  one.giveUp()
  expect(other.reach(10 * MIB)).toBe(10 * MIB)
})

it('what waits for its reader leaves less for what is being made, and the other way round', () => {
  const room = openAnswerRoom(10 * MIB)
  const claims = openClaims(room.memory)
  room.add(7 * MIB)
  expect(full(claims.reach, 4 * MIB)).toThrow('OVERLOADED')
  expect(claims.reach(3 * MIB)).toBe(3 * MIB)
  expect(room.refusal(1 * MIB, 0)).toMatchObject({ code: 'OVERLOADED', retryAfterS: 10 })
  room.made(claims.handOver()!)
  expect(room.refusal(3 * MIB, 0)).toBeUndefined()
  room.add(3 * MIB)
  expect(room.refusal(4 * MIB, 3 * MIB)?.code).toBe('OVERLOADED')
  expect(room.refusal(3 * MIB, 3 * MIB)).toBeUndefined()
  room.add(-10 * MIB)
  expect(claims.reach(10 * MIB)).toBe(10 * MIB)
})

it('one alone always has room, and short ones do', () => {
  const room = openAnswerRoom(1 * MIB)
  const claims = openClaims(room.memory)
  expect(claims.reach(50 * MIB)).toBe(50 * MIB)
  expect(room.refusal(LONG_BYTES, 0)).toBeUndefined()
  expect(room.refusal(LONG_BYTES + 1, 0)?.code).toBe('OVERLOADED')
  room.made(claims.handOver()!)
  expect(room.refusal(50 * MIB, 0)).toBeUndefined()
  room.add(50 * MIB)
  expect(room.refusal(50 * MIB, 50 * MIB)).toBeUndefined()
})

it('a limit of a terabyte is counted as well', () => {
  const room = openAnswerRoom(2 ** 40)
  room.add(2 ** 40 - MIB)
  const claims = openClaims(room.memory)
  expect(claims.reach(MIB)).toBe(MIB)
  expect(full(claims.reach, 2 * MIB)).toThrow('OVERLOADED')
})

it('what a thread had claimed that ended is free again, once, and only its own', () => {
  const room = openAnswerRoom(10 * MIB)
  const [dying, other] = [openClaims(room.memory, 7), openClaims(room.memory, 8)]
  dying.reach(2 * MIB)
  const handedOver = dying.handOver()!
  dying.reach(3 * MIB)
  other.reach(1 * MIB)
  expect(room.refusal(5 * MIB, 0)?.code).toBe('OVERLOADED')
  room.threadEnded(7)
  expect(room.refusal(9 * MIB, 0)).toBeUndefined()
  expect(room.refusal(9 * MIB + 1, 0)?.code).toBe('OVERLOADED')
  // Its last answer was on its way; meanwhile another thread has its place.
  const next = openClaims(room.memory, 9)
  next.reach(4 * MIB)
  room.made(handedOver)
  room.threadEnded(7)
  expect(room.refusal(5 * MIB, 0)).toBeUndefined()
  expect(room.refusal(5 * MIB + 1, 0)?.code).toBe('OVERLOADED')
  room.made(other.handOver()!)
  next.giveUp()
  room.add(1)
  expect(room.refusal(10 * MIB - 1024, 0)).toBeUndefined()
  expect(room.refusal(10 * MIB, 0)?.code).toBe('OVERLOADED')
})

it('there are places for as many threads as ever end', () => {
  const room = openAnswerRoom(10 * MIB)
  for (let thread = 1; thread <= 1000; thread += 1) {
    openClaims(room.memory, thread).reach(5 * MIB)
    room.threadEnded(thread)
  }
  expect(openClaims(room.memory, 1001).reach(10 * MIB)).toBe(10 * MIB)
})
