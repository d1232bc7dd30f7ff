import { expect, it } from 'vitest'
import { runKills } from './kill.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31)

it(`keeps all that was acknowledged through kills under writes and lessons (TORTURE_SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const report = await runKills({ times: 6, seed, writeMsMax: 2500, say: () => undefined })
  expect(report.broken, `log and data in ${report.folder}`).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(6)
  expect(report.acknowledged).toBeGreaterThan(50)
  expect(report.learning.acknowledged).toBeGreaterThan(5)
  expect(report.refolded).toBeGreaterThan(0)
  expect(report.sessions).toBeGreaterThan(0)
})
