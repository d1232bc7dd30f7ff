import { expect, it } from 'vitest'
import { openBreath } from '../src/breath.ts'

it('long work of small steps lets others have a turn, and short work none', async () => {
  const until = performance.now() + 50
  const breathe = openBreath()
  let turns = 0
  const others = setInterval(() => {
    turns += 1
  }, 1)
  await breathe()
  expect(turns).toBe(0)
  while (performance.now() < until) await breathe()
  clearInterval(others)
  expect(turns).toBeGreaterThan(2)
})
