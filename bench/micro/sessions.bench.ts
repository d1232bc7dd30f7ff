import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { openSessions } from '../../src/learn/sessions/sessions.ts'
import { openStore } from '../../src/store/store.ts'

/** Durable session creations through the store, without HTTP, and what one costs in processor time. */
const dataDir = mkdtempSync(join(tmpdir(), 'attune-bench-'))
const store = openStore({ dataDir, bytesMax: 2 ** 36, log: console })
const sessions = openSessions({ store, config: readConfig({}) })
const body = { clientId: 'web', userId: 'user-1', metadata: { device: 'phone', language: 'en' } }

for (const clients of [1, 32, 128]) {
  const count = clients === 1 ? 2000 : 50_000
  const { seconds, cpuSeconds, latenciesMs } = await create(count, clients)
  const p99 = latenciesMs[Math.floor(count * 0.99)] ?? 0
  console.log(
    `${clients} at a time: ${Math.round(count / seconds)} sessions/s, p99 ${p99.toFixed(2)} ms, ` +
      `${((cpuSeconds / count) * 1e6).toFixed(1)} µs of processor time each, load ${loadavg()[0]?.toFixed(1)}`,
  )
}
await sessions.close()
await store.close()
rmSync(dataDir, { recursive: true })

async function create(count: number, clients: number) {
  const latenciesMs: number[] = []
  const from = performance.now()
  const cpu = process.cpuUsage()
  const client = async () => {
    while (latenciesMs.length <= count - clients) {
      const sent = performance.now()
      await sessions.create(body)
      latenciesMs.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const { user, system } = process.cpuUsage(cpu)
  latenciesMs.sort((a, b) => a - b)
  const seconds = (performance.now() - from) / 1000
  return { seconds, cpuSeconds: (user + system) / 1e6, latenciesMs }
}
