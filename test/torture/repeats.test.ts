import { expect, it } from 'vitest'
import { runRepeats } from './repeats.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31)

it(`does once what is sent again under its Idempotency-Key behind a kill (TORTURE_SEED=${seed})`, {
  timeout: 600_000,
}, async () => {
  const report = await runRepeats({ times: 4, seed, say: () => undefined })
  expect(report.broken, `data in ${report.folder}`).toEqual([])
  expect(report.kills).toBe(4)
  expect(report.answered).toBeGreaterThan(0)
  expect(report.lost).toBeGreaterThan(0)
})
