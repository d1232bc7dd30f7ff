import { connect, type Socket } from 'node:net'
import { openAnswerRoom } from '../../src/answer-room.ts'
import { readConfig } from '../../src/config.ts'
import type { Route } from '../../src/http/route.ts'
import type { ServedApp } from '../../src/http/served.ts'
import { type Server, startServer } from '../../src/http/server.ts'
import { openMetrics } from '../../src/metrics/metrics.ts'
import type { AnswerOnce } from '../../src/schema/answer.ts'

export interface Stub {
  app: ServedApp
  server: Server
  url: string
  logged: object[]
  close: () => Promise<void>
}

/** A server on a free port around the given routes, with nothing behind them. */
export async function startStub(
  routes: Route[],
  env: Record<string, string> = {},
  idempotency: { run: AnswerOnce } = rememberNothing,
  heap: Pick<ServedApp, 'heapBytesMax'> = {},
): Promise<Stub> {
  const config = readConfig({ PORT: '0', DRAIN_TIMEOUT_MS: '2000', ...env })
  const logged: object[] = []
  const app: ServedApp = {
    config,
    log: {
      error: (fields) => logged.push(fields),
      warn: (fields) => logged.push(fields),
      debug: (fields) => logged.push(fields),
    },
    metrics: openMetrics(config),
    answers: openAnswerRoom(config.answersBytesMax),
    idempotency,
    ...heap,
    lifecycle: { state: 'ready' },
    store: { failure: () => undefined, noteDamage: () => {} },
  }
  const server = await startServer(app, routes)
  return {
    app,
    server,
    logged,
    url: `http://127.0.0.1:${server.port}/api`,
    close: async () => {
      await server.close()
    },
  }
}

const rememberNothing: { run: AnswerOnce } = {
  run: async (_key, _route, _bodyHash, produce) => ({
    ...(await produce(() => undefined)),
    replayed: false,
  }),
}

/** In which a server on this machine has done what was asked of it, as tests of the wire wait for it. */
export const WIRE_MS = 30_000

export interface RawConnection {
  socket: Socket
  /** Everything received so far. */
  received: () => string
  /** True once the server has closed its side. */
  closed: () => boolean
}

/** A bare TCP connection, for requests that no HTTP client would send. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let closed = false
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
  })
  return { socket, received: () => received, closed: () => closed }
}
