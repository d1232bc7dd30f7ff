import './head-limit.ts'
import * as uWS from 'uWebSockets.js'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { serviceError } from '../errors.ts'
import { bodyBytes, passingBody, wholeBody } from './bytes.ts'
import type { Exchange, Outflow, Outgoing } from './exchange.ts'
import { openPipeline, type Serve } from './mount.ts'
import { allowedMethods, type MountPoint, mountPoints } from './paths.ts'
import type { Route } from './route.ts'
import type { ServedApp } from './served.ts'
import { openTurns } from './turns.ts'

/** Answers above this are written in pieces, as fast as the client takes them. */
const PIECEWISE_BYTES = 64 << 10

/** All servers of a thread share the library's one buffer. */
const turns = openTurns()

export interface Server {
  port: number
  /** Requests under way. */
  active: () => number
  /**
   * Stops: takes no new connection, lets requests under way finish within `drainTimeoutMs`, then closes
   * what is left. Tells how many were cut off.
   */
  close: () => Promise<number>
}

/**
 * Serves `routes` on the configured host and port (0 picks a free one).
 * Rejects when the port is taken.
 */
export async function startServer(app: ServedApp, routes: readonly Route[]): Promise<Server> {
  const pipeline = openPipeline(app)
  const web = uWS.App()
  const points = mountPoints(routes)
  for (const point of points) mount(web, point, pipeline.serve(point.route))
  for (const [pattern, allow] of allowedMethods(points)) {
    const failure = serviceError('METHOD_NOT_ALLOWED', `This path answers ${allow} only.`)
    const endpoint = points.find((point) => point.pattern === pattern)?.route.path ?? pattern
    const serve = pipeline.refuse({ endpoint, failure, allow })
    web.any(colons(pattern), (res, req) => serve(newExchange(res, req, 0)))
  }
  const unknown = pipeline.refuse({
    endpoint: 'unmatched',
    failure: serviceError('ROUTE_NOT_FOUND', 'There is nothing at this path; see /docs.'),
  })
  web.any('/*', (res, req) => unknown(newExchange(res, req, 0)))
  const { host, port } = app.config
  const socket = await listen(web, host, port).catch((cause: unknown) => {
    pipeline.flights.close()
    throw cause
  })
  return {
    port: uWS.us_socket_local_port(socket as unknown as uWS.us_socket),
    active: pipeline.flights.count,
    close: async () => {
      app.lifecycle.state = 'stopping'
      uWS.us_listen_socket_close(socket)
      await pipeline.streams.close()
      const left = await pipeline.flights.drained(app.config.drainTimeoutMs)
      pipeline.flights.close()
      // Answers may wait for the end of this turn.
      await endOfTurn()
      web.close()
      return left
    },
  }
}

function listen(web: uWS.TemplatedApp, host: string, port: number): Promise<uWS.us_listen_socket> {
  return new Promise((resolve, reject) => {
    web.listen(host, port, (socket) => {
      if (socket === false) reject(new Error(`Port ${port} of ${host} can't be listened on.`))
      else resolve(socket)
    })
  })
}

function colons(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ':$1')
}

function mount(web: uWS.TemplatedApp, { method, pattern }: MountPoint, serve: Serve): void {
  const parameters = pattern.split('{').length - 1
  const handler = (res: uWS.HttpResponse, req: uWS.HttpRequest): void =>
    serve(newExchange(res, req, parameters))
  const path = colons(pattern)
  if (method === 'GET') web.get(path, handler).head(path, handler)
  else if (method === 'POST') web.post(path, handler)
  else if (method === 'PUT') web.put(path, handler)
  else if (method === 'PATCH') web.patch(path, handler)
  else web.del(path, handler)
}

/**
 * Copies all that is needed of the request, which the library takes back on return, and registers for the
 * client leaving, without which the library ends the process.
 */
function newExchange(res: uWS.HttpResponse, req: uWS.HttpRequest, parameters: number): Exchange {
  const leavers: (() => void)[] = []
  const headers: string[] = []
  let lengths = 0
  req.forEach((name, value) => {
    headers.push(name, value)
    if (name === 'content-length') lengths += 1
  })
  let flow: ReturnType<typeof openOutflow> | undefined
  /** The library has taken the response back. */
  let gone = false
  const exchange: Exchange = {
    method: req.getCaseSensitiveMethod(),
    // The library gives undefined, against its own types, for an address without `?`.
    query: req.getQuery() || '',
    parameters: Array.from({ length: parameters }, (_, at) => req.getParameter(at) ?? ''),
    open: true,
    ambiguous: lengths > 1,
    header: (name) => {
      for (let at = 0; at < headers.length; at += 2)
        if (headers[at] === name) return headers[at + 1]
      return undefined
    },
    onBody: (take) => {
      res.onData((chunk, last) => {
        turns.enter(exchange)
        take(new Uint8Array(chunk), last)
      })
    },
    onLeave: (left) => {
      leavers.push(left)
    },
    pause: () => {
      if (exchange.open) res.pause()
    },
    resume: () => {
      if (exchange.open) res.resume()
    },
    send: (outgoing) => {
      if (!exchange.open) return
      exchange.open = false
      turns.whenOwn(exchange, () => {
        if (!gone) res.cork(() => write(res, exchange.method === 'HEAD', outgoing))
      })
    },
    begin: ({ status, headers: sent }) => {
      if (!exchange.open) return undefined
      exchange.open = false
      flow = openOutflow(res)
      res.cork(() => writeHead(res, status, sent))
      return flow.outflow
    },
    cut: () => {
      if (!exchange.open) return
      exchange.open = false
      res.close()
    },
  }
  turns.enter(exchange)
  res.onAborted(() => {
    gone = true
    if (!exchange.open && flow?.left() !== true) return
    exchange.open = false
    for (const left of leavers) left()
  })
  return exchange
}

/** `left` tells whether the client broke off an answer that was still going on, which ends it. */
function openOutflow(res: uWS.HttpResponse): { outflow: Outflow; left: () => boolean } {
  let ended = false
  let ready: (() => void) | undefined
  const finish = (): boolean => {
    const first = !ended
    ended = true
    return first
  }
  res.onWritable(() => {
    ready?.()
    return true
  })
  const outflow: Outflow = {
    write: (piece) => {
      if (ended) return true
      let taken = true
      res.cork(() => {
        taken = res.write(piece)
      })
      return taken
    },
    onReady: (then) => {
      ready = then
    },
    end: () => {
      if (finish()) res.cork(() => res.end())
    },
    cut: () => {
      if (finish()) res.close()
    },
  }
  return { outflow, left: finish }
}

function writeHead(res: uWS.HttpResponse, status: number, headers: [string, string][]): void {
  res.writeStatus(STATUS_LINES[status] ?? String(status))
  for (const [name, value] of headers) res.writeHeader(name, value)
}

function write(res: uWS.HttpResponse, headOnly: boolean, outgoing: Outgoing): void {
  const { status, headers, body, close } = outgoing
  writeHead(res, status, headers)
  if (status === 204) res.endWithoutBody(undefined, close)
  else if (headOnly) res.endWithoutBody(bodyBytes(body), close)
  else if (bodyBytes(body) <= PIECEWISE_BYTES || close) res.end(passingBody(body), close)
  else writePieces(res, wholeBody(body))
}

function writePieces(res: uWS.HttpResponse, body: Uint8Array): void {
  const [, done] = res.tryEnd(body, body.length)
  if (done) return
  res.onWritable((offset) => {
    const [ok] = res.tryEnd(body.subarray(offset), body.length)
    return ok
  })
}

const STATUS_LINES: Record<number, string> = {
  200: '200 OK',
  204: '204 No Content',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  412: '412 Precondition Failed',
  413: '413 Content Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  501: '501 Not Implemented',
  503: '503 Service Unavailable',
  507: '507 Insufficient Storage',
}
