import { expect, it } from 'vitest'
import { runKills } from './kill.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31)

it(`keeps all that was acknowledged through kills under writes and lessons (TORTURE_SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const report = await runKills({ times: 6, seed, writeMsMax: 900, say: () => undefined })
  expect(report.broken, `log and data in ${report.folder}`).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(6)
  // Something to lose at each kill; how much is a matter of the seed and of how busy the machine is.
  expect(report.acknowledged).toBeGreaterThan(report.kills)
  expect(report.learning.acknowledged).toBeGreaterThan(5)
  expect(report.refolded).toBeGreaterThan(0)
  expect(report.sessions).toBeGreaterThan(0)
})
