import { basicCredentials } from '../credentials.ts'
import { commandError } from './terminal.ts'

/** The address a server listens on when nothing else was said. */
export const DEFAULT_URL = 'http://127.0.0.1:3000/api'

/** One answer of the server: its status, its JSON envelope and the pause it asks for. */
export interface ServerAnswer {
  status: number
  success: boolean
  /** The envelope's data; an empty object when there was none. */
  data: Record<string, unknown>
  /** One sentence; set when the call failed. */
  error?: string
  code?: string
  /** From Retry-After, in milliseconds. */
  retryAfterMs?: number
}

/** Speaks HTTP to one server; every command goes through it. */
export interface Client {
  url: string
  get: (path: string) => Promise<ServerAnswer>
  post: (path: string, body: unknown) => Promise<ServerAnswer>
  /** Sends lines of NDJSON. Throws the connection's own error, so that the caller may try again. */
  postLines: (path: string, lines: string) => Promise<ServerAnswer>
}

/**
 * Makes a client; `key` is sent as a bearer token, without one name and password of the address. `signal` gives up what is
 * under way; batches of a load have none, as it goes on from what is settled. Fails when the address is none, or the key can't be one.
 */
export function openClient(url: string, key?: string, signal?: AbortSignal): Client {
  const address = checkedUrl(url)
  const authorization = key ? `Bearer ${headerText(key)}` : basicCredentials(address)
  const base = baseOf(address)
  const send = async (path: string, body?: string, type = 'application/json') => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (body !== undefined) headers['content-type'] = type
    if (authorization !== undefined) headers.authorization = authorization
    const stoppable = signal === undefined ? { headers } : { headers, signal }
    const init = body === undefined ? stoppable : { ...stoppable, method: 'POST', body }
    return readReply(base, await fetch(base + path, init))
  }
  const orExplain = (call: Promise<ServerAnswer>) =>
    call.catch((cause: unknown) => {
      throw explained(base, cause)
    })
  return {
    url: base,
    get: (path) => orExplain(send(path)),
    post: (path, body) => orExplain(send(path, JSON.stringify(body))),
    postLines: (path, lines) => send(path, lines, 'application/x-ndjson'),
  }
}

/** Takes the data of a reply; a failure becomes a message with the server's own sentence. */
export function dataOf(reply: ServerAnswer, what: string): Record<string, unknown> {
  if (reply.success) return reply.data
  throw commandError(`${what}: ${reply.error ?? `status ${reply.status}`}${keyAdvice(reply)}`)
}

/** What to add to the sentence of a server that asks for a key. */
export function keyAdvice({ status }: ServerAnswer): string {
  return status === 401 ? ' Set ATTUNE_KEY to one of its API keys.' : ''
}

/** The short name of what broke a connection (ECONNREFUSED, ECONNRESET …), or undefined for other errors. */
export function connectionFailure(error: unknown): string | undefined {
  if (!(error instanceof TypeError) || error.cause === undefined) return undefined
  const cause = error.cause as { code?: string; message?: string; errors?: { code?: string }[] }
  return cause.code ?? cause.errors?.[0]?.code ?? cause.message ?? 'connection failed'
}

function checkedUrl(url: string): URL {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch (cause) {
    throw commandError(`--url or ATTUNE_URL must be an address such as ${DEFAULT_URL}.`, cause)
  }
  if (!/^https?:$/.test(parsed.protocol))
    throw commandError(
      `--url or ATTUNE_URL must start with http:// or https://, as in ${DEFAULT_URL}.`,
    )
  if (parsed.pathname === '/') parsed.pathname = '/api'
  return parsed
}

/** Without name and password, which messages must not show. */
function baseOf(address: URL): string {
  const bare = new URL(address)
  bare.username = ''
  bare.password = ''
  return bare.href.replace(/\/+$/, '')
}

/** In UTF-8, one character for each byte, as a header takes it. */
function headerText(key: string): string {
  const bytes = Buffer.from(key.trim()).toString('latin1')
  if (/[^\x20-\x7e\x80-\xff]/.test(bytes))
    throw commandError('ATTUNE_KEY has a line break, or another control character, in it.')
  return bytes
}

/** Says what a connection failure means for the user. */
function explained(base: string, cause: unknown): unknown {
  const code = connectionFailure(cause)
  if (code === undefined) return cause
  return commandError(
    `No Attune server answers at ${base} (${code}). Start one with \`npm start\` or \`attune serve\`, ` +
      'or name another address with --url or ATTUNE_URL.',
    cause,
  )
}

async function readReply(base: string, response: Response): Promise<ServerAnswer> {
  const text = await response.text()
  const wait = retryAfter(response.headers.get('retry-after'))
  const pause = wait === undefined ? {} : { retryAfterMs: wait }
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    const error = `The answer (status ${response.status}) is not JSON; is this an Attune server?`
    return { status: response.status, success: false, data: {}, error, ...pause }
  }
  const { success, data, error, code } = body
  return {
    status: response.status,
    success: success === true && response.ok,
    data: typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {},
    ...(typeof error === 'string' ? { error: sentence(base, error, body) } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...pause,
  }
}

/** Every path that a command asks for is there: a server without it was given another address. */
function sentence(base: string, error: string, { code, details }: Record<string, unknown>): string {
  if (code === 'ROUTE_NOT_FOUND')
    return `there is no API at ${base}: the address of a server ends in /api, as in ${DEFAULT_URL}.`
  if (!Array.isArray(details)) return error
  const places = details
    .filter(({ message }) => !error.includes(message))
    .map(({ path, message }) => [path, message].filter(Boolean).join(': '))
    .filter((place) => place !== '')
  return places.length === 0 ? error : `${error} (${places.join('; ')})`
}

function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
