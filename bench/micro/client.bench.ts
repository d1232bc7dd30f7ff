import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { runLoad } from '../client.ts'
import { jsonShot } from '../request.ts'

/**
 * What the load client itself can do: requests a second against a process that answers without looking.
 * Figures of the service are worth little when they come near this one.
 */
const reply = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{"a":"${'x'.repeat(1992)}"}`,
)

if (process.argv[2] === 'serve') {
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(reply))
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
} else {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: process.execArgv })
  const [port] = (await once(child, 'message')) as [number]
  const shot = jsonShot('POST', '/api/cortex/search', { query: 'some words', size: 10 }, 'trivial')
  for (const connections of [1, 8, 32]) {
    const before = process.cpuUsage()
    const run = await runLoad({
      port,
      host: '127.0.0.1',
      connections,
      next: () => shot,
      warmupMs: 1000,
      measureMs: 3000,
      check: (body) => (typeof body === 'object' ? undefined : 'not an object'),
    })
    const cpu = process.cpuUsage(before)
    const cpuUsPerRequest = (cpu.user + cpu.system) / ((run.requests / 3) * 4)
    console.log(
      `c ${connections}: ${Math.round(run.perSecond)} requests/s, p99 ${run.kinds[0]?.p99Ms.toFixed(2)} ms, client CPU ${cpuUsPerRequest.toFixed(1)} µs a request`,
      run.failures,
    )
  }
  child.kill()
}
