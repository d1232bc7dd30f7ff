import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openTurns } from '../../src/http/turns.ts'

it('writes at once what belongs to the request at hand, and the rest in order at the end of the turn', async () => {
  const turns = openTurns()
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
