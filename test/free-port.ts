import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that systems give to clients: one of these is not taken by the next connection of another test. */
const FIRST = 20_000
const COUNT = 10_000

/** A port of this machine that nobody listens on just now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
}
