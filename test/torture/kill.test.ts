import { expect, it } from 'vitest'
import { runKills } from './kill.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31)

it(`keeps every acknowledged write through ten kills under mixed writes (TORTURE_SEED=${seed})`, {
  timeout: 300_000,
}, async () => {
  const report = await runKills({ times: 10, seed, writeMsMax: 900, say: () => undefined })
  expect(report.broken, `log and data in ${report.folder}`).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(10)
  expect(report.acknowledged).toBeGreaterThan(100)
  expect(report.sessions).toBeGreaterThan(0)
})
