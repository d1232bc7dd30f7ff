import './head-limit.ts'
import * as uWS from 'uWebSockets.js'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type ServiceError, serviceError } from '../errors.ts'
import type { Exchange } from './exchange.ts'
import { whyNotListening } from './listening.ts'
import { openPipeline, type Serve } from './mount.ts'
import { openNearestRoute } from './nearest-route.ts'
import { methodsOf, mountPoints, unansweredPaths } from './paths.ts'
import type { Method, Route } from './route.ts'
import type { ServedApp } from './served.ts'
import { newExchange } from './web-exchange.ts'

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
 * Rejects with a StartError when that can't be.
 */
export async function startServer(app: ServedApp, routes: readonly Route[]): Promise<Server> {
  const pipeline = openPipeline(app)
  const web = uWS.App()
  const points = mountPoints(routes)
  for (const { method, pattern, route } of points)
    mount(web, method, pattern, pipeline.serve(route))
  for (const [pattern, { allow, refused }] of methodsOf(points)) {
    const failure = serviceError('METHOD_NOT_ALLOWED', `This path answers ${allow} only.`)
    const endpoint = points.find((point) => point.pattern === pattern)?.route.path ?? pattern
    const serve = pipeline.refuse({ endpoint, failure, allow })
    for (const method of refused) mount(web, method, pattern, serve)
    web.any(colons(pattern), (res, req) => serve(newExchange(res, req, 0)))
  }
  const nearestRoute = openNearestRoute(points)
  for (const [pattern, sentence] of unansweredPaths(points)) {
    const failure = ({ method, parameters: [path = ''] }: Exchange): ServiceError =>
      serviceError('ROUTE_NOT_FOUND', sentence(nearestRoute(method, path)))
    const serve = pipeline.refuse({ endpoint: 'unmatched', failure })
    web.any(pattern, (res, req) => {
      const exchange = newExchange(res, req, 0)
      exchange.parameters.push(req.getUrl())
      serve(exchange)
    })
  }
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

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second server may listen as well, and gets half of the requests. */
const EXCLUSIVE_PORT = 1

/** The form of `listen` with a host and options, which the library has and its types lack. */
type ListenAlone = (
  host: string,
  port: number,
  options: typeof EXCLUSIVE_PORT,
  listening: (socket: uWS.us_listen_socket | false) => void,
) => void

async function listen(
  web: uWS.TemplatedApp,
  host: string,
  port: number,
): Promise<uWS.us_listen_socket> {
  const listenAlone = web.listen.bind(web) as unknown as ListenAlone
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    listenAlone(host, port, EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) throw await whyNotListening(host, port)
  return socket
}

function colons(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ':$1')
}

function mount(web: uWS.TemplatedApp, method: Method, pattern: string, serve: Serve): void {
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
