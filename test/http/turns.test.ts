import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openTurns } from '../../src/http/turns.ts'

it('writes at once what belongs to the request at hand, and the rest in order at the end of the turn', async () => {
  const turns = openTurns(() => 0)
  const [first, second, third] = [{}, {}, {}]
  const written: string[] = []
  turns.whenOwn(first, () => written.push('before any turn'))
  expect(written.splice(0)).toEqual(['before any turn'])

  turns.enter(first)
  turns.whenOwn(second, () => written.push('second'))
  turns.whenOwn(first, () => written.push('first'))
  turns.enter(third)
  turns.whenOwn(first, () => written.push('first again'))
  turns.whenOwn(third, () => written.push('third'))
  expect(written.splice(0)).toEqual(['first', 'third'])

  await endOfTurn()
  expect(written.splice(0)).toEqual(['second', 'first again'])
  turns.whenOwn(second, () => written.push('next turn'))
  expect(written).toEqual(['next turn'])
})

it('writes nothing more in a turn that lasts before its end', async () => {
  let nowMs = 0
  const turns = openTurns(() => nowMs)
  const connection = {}
  const written: string[] = []
  turns.enter(connection)
  turns.whenOwn(connection, () => written.push('soon'))
  nowMs += 100
  turns.enter(connection)
  turns.whenOwn(connection, () => written.push('late'))
  expect(written).toEqual(['soon'])
  await endOfTurn()
  expect(written).toEqual(['soon', 'late'])
})

it('begins no more of what can wait in a turn that lasts, and goes on in the next ones, behind what comes in these', async () => {
  let nowMs = 0
  const turns = openTurns(() => nowMs)
  const begun: number[] = []
  const request = (n: number) =>
    turns.whenFresh(() => {
      begun.push(n)
      nowMs += 3
    })
  request(0)
  expect(begun.splice(0)).toEqual([0])

  const connection = {}
  for (let n = 1; n <= 8; n += 1) {
    turns.enter(connection)
    request(n)
  }
  expect(begun.splice(0)).toEqual([1, 2, 3])
  await endOfTurn()
  expect(begun.splice(0)).toEqual([4, 5, 6])
  turns.enter({})
  request(9)
  expect(begun.splice(0)).toEqual([9])
  await endOfTurn()
  expect(begun.splice(0)).toEqual([7, 8])
  request(10)
  expect(begun).toEqual([10])
})
