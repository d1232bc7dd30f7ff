import type * as uWS from 'uWebSockets.js'
import type { Exchange, Outflow, Outgoing } from './exchange.ts'
import { openTurns } from './turns.ts'
import { openOutflow, writeAnswer, writeHead } from './web-answer.ts'

/** All servers of a thread share the library's one buffer. */
const turns = openTurns()

/**
 * Copies all that is needed of the request, which the library takes back on return, and registers for the
 * client leaving, without which the library ends the process.
 */
export function newExchange(
  res: uWS.HttpResponse,
  req: uWS.HttpRequest,
  parameters: number,
): Exchange {
  const exchange = new WebExchange(res, req, parameters)
  turns.enter(exchange)
  res.onAborted(() => exchange.abort())
  return exchange
}

/** Headers that are one list in however many lines they are sent (RFC 9110 5.3). Of any other, the first line counts. */
const LISTS = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'if-match',
  'if-none-match',
])

/** A class, and not an object of closures: ten of them for each request are a tenth of what a small one leaves behind. */
class WebExchange implements Exchange {
  readonly method: string
  readonly query: string
  readonly parameters: string[] = []
  open = true
  bodyEnded = false
  readonly #res: uWS.HttpResponse
  /** Name, value, name, value, … */
  readonly #headers: string[] = []
  readonly #leavers: (() => void)[] = []
  #flow: ReturnType<typeof openOutflow> | undefined
  /** Gives up an answer that waits for the client. */
  #giveUp: (() => void) | undefined
  /** The library has taken the response back. */
  #gone = false

  constructor(res: uWS.HttpResponse, req: uWS.HttpRequest, parameters: number) {
    this.#res = res
    this.method = req.getCaseSensitiveMethod()
    // The library gives undefined, against its own types, for an address without `?`.
    this.query = req.getQuery() || ''
    for (let at = 0; at < parameters; at += 1) this.parameters.push(req.getParameter(at) ?? '')
    req.forEach((name, value) => {
      this.#headers.push(name, value)
    })
  }

  get ambiguous(): boolean {
    let lengths = 0
    for (let at = 0; at < this.#headers.length; at += 2) {
      const name = this.#headers[at]
      if (name !== 'content-length' && name !== 'transfer-encoding') continue
      lengths += 1
      const value = this.#headers[at + 1]
      // The library takes any coding for chunks, and no length for one of 0.
      if (name === 'content-length' ? value === '' : value?.toLowerCase() !== 'chunked') return true
    }
    return lengths > 1
  }

  header(name: string): string | undefined {
    let found: string | undefined
    for (let at = 0; at < this.#headers.length; at += 2) {
      if (this.#headers[at] !== name) continue
      const value = this.#headers[at + 1] ?? ''
      if (!LISTS.has(name)) return value
      found = found === undefined ? value : `${found}, ${value}`
    }
    return found
  }

  whenFresh(begin: () => void): void {
    turns.whenFresh(begin)
  }

  onBody(take: (chunk: Uint8Array, last: boolean) => void): void {
    this.#res.onData((chunk, last) => {
      turns.enter(this)
      this.bodyEnded = last
      take(new Uint8Array(chunk), last)
    })
  }

  onLeave(left: () => void): void {
    this.#leavers.push(left)
  }

  pause(): void {
    if (this.open) this.#res.pause()
  }

  resume(): void {
    if (this.open) this.#res.resume()
  }

  send(outgoing: Outgoing): void {
    if (!this.open) return
    this.open = false
    this.#giveUp = outgoing.taken
    turns.whenOwn(this, () => {
      if (this.#gone) return
      this.#res.cork(() => {
        this.#giveUp = writeAnswer(this.#res, this.method === 'HEAD', outgoing)
      })
    })
  }

  begin({ status, headers }: Pick<Outgoing, 'status' | 'headers'>): Outflow | undefined {
    if (!this.open) return undefined
    this.open = false
    const res = this.#res
    this.#flow = openOutflow(res)
    res.cork(() => writeHead(res, status, headers))
    return this.#flow.outflow
  }

  cut(): void {
    if (!this.open) return
    this.open = false
    this.#res.close()
  }

  abort(): void {
    this.#gone = true
    this.#giveUp?.()
    if (!this.open && this.#flow?.left() !== true) return
    this.open = false
    for (const left of this.#leavers) left()
  }
}
