import type { Body } from './bytes.ts'

/** One request and the way to answer it, free of the server library's own types. */
export interface Exchange {
  /** Upper case, as sent. */
  readonly method: string
  /** Everything after `?`, undecoded. */
  readonly query: string
  /** Undecoded values of the pattern's parameters, in order; the path alone, where no route answers. */
  readonly parameters: string[]
  /** A request header by lower-case name; undefined when it was not sent. */
  header(name: string): string | undefined
  /**
   * True when the length of the body is told more than once, by a header that says none, or by a coding that nobody here
   * knows: a proxy before us may believe another.
   */
  readonly ambiguous: boolean
  /** True once the last of a body has come to whoever asked for it. */
  readonly bodyEnded: boolean
  /** Runs `begin` now, or in another turn of the event loop where this one lasts already: others wait for its end. */
  whenFresh(begin: () => void): void
  /** Hands over the body's chunks to whoever asked last; a chunk is valid during the call only. */
  onBody(take: (chunk: Uint8Array, last: boolean) => void): void
  /** Called once when the client leaves before the answer is out. */
  onLeave(left: () => void): void
  pause(): void
  resume(): void
  /** Writes the whole answer once; does nothing when the client has left or an answer is out. */
  send(outgoing: Outgoing): void
  /**
   * Writes the head of an answer that goes on; undefined when the client has left or an answer is out. Those who
   * asked by `onLeave` still hear of it.
   */
  begin(head: Pick<Outgoing, 'status' | 'headers'>): Outflow | undefined
  /** Closes the connection at once, without an answer. */
  cut(): void
  /** False once an answer is out or the client has left. */
  open: boolean
}

/** A whole answer, ready to be written. */
export interface Outgoing {
  status: number
  headers: [string, string][]
  body: Body
  /** Closes the connection once the answer is out. */
  close: boolean
  /** Told of a long one once: when none of it waits in memory any more. */
  taken: (() => void) | undefined
}

/**
 * The library closes a connection that was idle for some eight to twelve seconds. Clients that keep theirs, and read this,
 * send nothing just then: it would break, and they could not know whether it was done.
 */
export const KEEP_ALIVE: [string, string] = ['keep-alive', 'timeout=8']

/** The body of an answer that goes on; every call after its end does nothing. */
export interface Outflow {
  /** Sends a piece; false when the client has yet to take some of what was sent. */
  write: (piece: string) => boolean
  /** `ready` runs once everything sent so far has been taken. */
  onReady: (ready: () => void) => void
  /** Ends the answer as a whole. */
  end: () => void
  /** Closes the connection in the middle. */
  cut: () => void
}
