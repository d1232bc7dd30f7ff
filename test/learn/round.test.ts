import { expect, it } from 'vitest'
import { openRound } from '../../src/learn/round.ts'

it('a part that fails is reported once while it fails and when it is over, and the others have their turn', async () => {
  const reported: string[] = []
  let fails: string | undefined = 'full'
  let turns = 0
  const round = openRound(
    {
      first: () => (fails === undefined ? undefined : Promise.reject(new Error(fails))),
      second: () => {
        turns += 1
      },
    },
    (err, part) => reported.push(`${part}: ${(err as Error).message}`),
    (part) => reported.push(`${part} goes on`),
  )
  await round()
  await round()
  fails = 'late'
  await round()
  fails = undefined
  await round()
  fails = 'late'
  await round()
  expect(turns).toBe(5)
  expect(reported).toEqual(['first: full', 'first: late', 'first goes on', 'first: late'])
})
