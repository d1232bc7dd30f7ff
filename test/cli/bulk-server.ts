import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../listen.ts'

/** One answer that the server gives instead of taking the documents. */
export type Trouble =
  | { status: number; body?: object; headers?: Record<string, string> }
  | 'reset'
  | 'taken, then reset'

/** A small server that takes bulk NDJSON like the real one and can be told to misbehave. */
export interface BulkServer {
  url: string
  documents: Map<string, Record<string, unknown>>
  /** Each bulk request: its query and how many lines it had. */
  requests: { query: string; lines: number }[]
  /** The type of each field of each index that is there, when it is read. */
  indices: Record<string, Record<string, string>>
  /** Used up one by one, before requests are taken as usual. */
  troubles: Trouble[]
  /** Documents that are refused, with the error. */
  refuses: (
    line: Record<string, unknown>,
  ) => { status: number; code?: string; error: string } | undefined
  /** What is warned of, of a document that is taken. */
  warns: (line: Record<string, unknown>) => string[]
  mostUnderWay: number
  /** Called before each request is answered. */
  before: () => Promise<void> | void
  close: () => Promise<void>
}

export async function openBulkServer(): Promise<BulkServer> {
  const server = createServer((request, response) => void handle(request, response))
  let underWay = 0
  const self: BulkServer = {
    url: '',
    documents: new Map(),
    requests: [],
    indices: {},
    troubles: [],
    refuses: () => undefined,
    warns: () => [],
    mostUnderWay: 0,
    before: () => undefined,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    if (path === '/api/livez') return reply(response, 200, { success: true, data: {} })
    const types = self.indices[decodeURIComponent(path.replace('/api/cortex/indices/', ''))]
    if (types !== undefined) {
      const typed = Object.entries(types).map(([name, type]) => [name, { type }])
      return reply(response, 200, { success: true, data: { fields: Object.fromEntries(typed) } })
    }
    if (path !== '/api/cortex/documents/bulk')
      return reply(response, 404, { success: false, error: 'No such route.' })
    underWay += 1
    self.mostUnderWay = Math.max(self.mostUnderWay, underWay)
    const lines = (await text(request)).split('\n').filter((line) => line !== '')
    await self.before()
    underWay -= 1
    self.requests.push({ query, lines: lines.length })
    const trouble = self.troubles.shift()
    if (trouble === 'reset') return void request.socket.destroy()
    if (trouble !== undefined && typeof trouble === 'object')
      return reply(
        response,
        trouble.status,
        trouble.body ?? failure(trouble.status),
        trouble.headers,
      )
    const items = lines.map((line) => take(JSON.parse(line)))
    if (trouble === 'taken, then reset') return void request.socket.destroy()
    reply(response, 200, { success: true, data: { items } })
  }

  function take(line: Record<string, unknown>): object {
    const refused = self.refuses(line)
    if (refused !== undefined) return refused
    const id = String(line.id)
    if (line.op !== 'delete') self.documents.set(id, line.document as Record<string, unknown>)
    else if (!self.documents.delete(id))
      return { status: 404, code: 'DOCUMENT_NOT_FOUND', error: 'There is no such document.' }
    const warnings = self.warns(line)
    return { status: 200, id, version: 1, vectorized: true, warnings }
  }

  self.url = `http://127.0.0.1:${await listen(server)}/api`
  return self
}

function failure(status: number): object {
  return { success: false, error: `Refused with ${status}.`, code: 'OVERLOADED' }
}

function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
