import { expect, it } from 'vitest'
import { runDamage } from './damage.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31)

it(`answers as before after any derived file was damaged or removed (TORTURE_SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const report = await runDamage({ seed, everyKind: false, say: () => undefined })
  expect(report.broken).toEqual([])
  expect(report.files.length).toBeGreaterThan(3)
  expect(report.damages).toBeGreaterThan(report.files.length)
})
