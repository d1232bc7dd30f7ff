import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../object.ts'
import { type Client, dataOf, type ServerAnswer } from '../client.ts'
import { DEMO_INDEX } from '../demo-server.ts'
import { bold, commandError, dim, printable, type Terminal } from '../terminal.ts'

/** One line of a list of results. */
export interface Shown {
  id: string
  title: string
  score: number
  explain: Record<string, unknown>
}

/** What a search answered. */
export interface FoundHits {
  hits: Shown[]
  queryId: string
  queryHash: string
}

/** Whether whoever watches sees a request. */
export type RequestSeen = 'as curl' | 'unseen'

/** Where a step shows what it does: calls with the curl that repeats them, lists, and what must hold. */
export interface Stage {
  terminal: Terminal
  /** Simulated people of a step. */
  people: number
  heading: (text: string) => void
  say: (text: string) => void
  /** Prints the request as curl, then sends it; a failure is answered, not thrown. */
  show: (path: string, body?: unknown) => Promise<ServerAnswer>
  /** Sends a request unseen; throws the service's sentence when it fails. */
  call: (path: string, body?: unknown) => Promise<Record<string, unknown>>
  /** A search of ten, unseen unless it is shown as curl. */
  search: (query: string, more?: object, seen?: RequestSeen) => Promise<FoundHits>
  /** Prints a list; `marked` is pointed at. */
  list: (label: string, hits: readonly Shown[], marked?: string) => void
  /** Prints whether the sentence holds; the step fails when it doesn't. */
  check: (holds: boolean, sentence: string) => void
  /** Polls until `condition` holds or the time is over; answers whether it does. */
  until: (condition: () => Promise<boolean>, withinMs: number) => Promise<boolean>
  failures: () => number
}

const SIZE = 10
const TITLE_CHARACTERS = 60
const POLL_MS = 5
const JSON_HEADER = "-H 'content-type: application/json'"

export function openStage(terminal: Terminal, client: Client, people: number): Stage {
  let failures = 0
  const say = (text: string) => terminal.print(text === '' ? '' : `  ${text}`)
  const sayCurl = (path: string, body: unknown) => say(dim(terminal, curl(client.url + path, body)))
  const send = (path: string, body: unknown) => {
    terminal.signal.throwIfAborted()
    return body === undefined ? client.get(path) : client.post(path, body)
  }
  const call = async (path: string, body?: unknown) =>
    dataOf(await send(path, body), `${body === undefined ? 'GET' : 'POST'} ${path} failed`)
  return {
    terminal,
    people,
    heading: (text) => terminal.print(`\n${bold(terminal, text)}\n`),
    say,
    show: (path, body) => {
      sayCurl(path, body)
      return send(path, body)
    },
    call,
    search: async (query, more = {}, seen = 'unseen') => {
      const body = { query, index: DEMO_INDEX, size: SIZE, ...more }
      if (seen === 'as curl') sayCurl('/cortex/search', body)
      return readFound(await call('/cortex/search', body))
    },
    list: (label, hits, marked) => {
      say(`${label}:`)
      for (const [place, { id, title, score }] of hits.entries()) {
        const pointer = id === marked ? '  ◄' : ''
        const line = `${String(place + 1).padStart(4)}. ${score.toFixed(3)}  ${shortened(title)}`
        say(id === marked ? bold(terminal, line + pointer) : line)
      }
    },
    check: (holds, sentence) => {
      if (!holds) failures += 1
      say(`${holds ? '✓' : bold(terminal, '✗ FAILED:')} ${sentence}`)
    },
    until: (condition, withinMs) => until(terminal, condition, withinMs),
    failures: () => failures,
  }
}

/** The command line that repeats a request, ready to be pasted into a shell. */
export function curl(url: string, body?: unknown): string {
  if (body === undefined) return `curl -s '${url}'`
  return `curl -s ${url} ${JSON_HEADER} -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`
}

async function until(
  { signal }: Terminal,
  condition: () => Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await pause(POLL_MS, undefined, { signal })
  }
  return true
}

function readFound(data: Record<string, unknown>): FoundHits {
  const context = isObject(data.searchContext) ? data.searchContext : {}
  const hits = Array.isArray(data.hits) ? data.hits.filter(isObject) : []
  if (hits.length < SIZE) throw commandError('The demo needs a query with ten hits at least.')
  return {
    queryId: String(context.queryId),
    queryHash: String(context.queryHash),
    hits: hits.map(({ id, score, source, explain }) => ({
      id: String(id),
      title: printable(String(isObject(source) ? (source.title ?? id) : id)),
      score: Number(score),
      explain: isObject(explain) ? explain : {},
    })),
  }
}

function shortened(title: string): string {
  return title.length <= TITLE_CHARACTERS ? title : `${title.slice(0, TITLE_CHARACTERS)} …`
}

/** Whether two lists show the same documents in the same order with the same scores. */
export function isSameList(one: readonly Shown[], other: readonly Shown[]): boolean {
  const lineOf = ({ id, score }: Shown) => `${id} ${score}`
  return (
    one.length === other.length && one.every((hit, at) => lineOf(hit) === lineOf(other[at] ?? hit))
  )
}
