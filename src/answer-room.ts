import { threadId } from 'node:worker_threads'
import { variableOf } from './config.ts'
import { type ServiceError, serviceError } from './errors.ts'

/** Answers of more bytes are counted, and written a part at a time. */
export const LONG_BYTES = 64 << 10

/**
 * Room for long answers: those that threads are making, and those that wait in memory for clients who take them
 * slowly, or not at all (the latter for some ten seconds). A single answer always has room, however long it is.
 */
export interface AnswerRoom {
  /** The counters, for the threads that make answers: see `openClaims`. */
  memory: SharedArrayBuffer
  /**
   * The refusal of an answer of so many bytes, `counted` of which are counted already; undefined when there is room.
   */
  refusal: (bytes: number, counted: number) => ServiceError | undefined
  /** The refusal when a thread found no room. */
  refused: () => ServiceError
  /** Counts bytes that begin to wait; negative ones wait no more. */
  add: (bytes: number) => void
  /** Gives back what a thread claimed for an answer: that is here now, and counted as such. */
  made: (claim: Claim) => void
  /** Gives back what a thread had claimed that ended, in the middle of an answer or after it. */
  threadEnded: (thread: number) => void
}

/** What a thread has for an answer that it hands over. */
export interface Claim {
  bytes: number
  thread: number
  /** Its place among the threads. */
  place: number
}

/** Counters, in steps: a number that threads change together has 32 bits, and the limit may be a terabyte. */
const STEP_BYTES = 1 << 10
const MADE = 0
const WAITING = 1
const MAX = 2
/** Behind them two for each thread: whose they are, and what it has. */
const FIRST_PLACE = 3
/** More places than there are search threads: that of a thread which ended is freed a little later. */
const PLACES = 256
const NOBODY = 0

export function openAnswerRoom(bytesMax: number): AnswerRoom {
  const counters = FIRST_PLACE + 2 * PLACES
  const memory = new SharedArrayBuffer(counters * Int32Array.BYTES_PER_ELEMENT)
  const steps = new Int32Array(memory)
  Atomics.store(steps, MAX, Math.floor(bytesMax / STEP_BYTES))
  let waiting = 0
  const refused = () => serviceError('OVERLOADED', tooMuch(), { retryAfterS: 10 })
  return {
    memory,
    refusal: (bytes, counted) => {
      if (bytes <= LONG_BYTES) return undefined
      const others = waiting - counted + Atomics.load(steps, MADE) * STEP_BYTES
      return others <= 0 || others + bytes <= bytesMax ? undefined : refused()
    },
    refused,
    add: (bytes) => {
      waiting += bytes
      Atomics.store(steps, WAITING, Math.ceil(waiting / STEP_BYTES))
    },
    made: ({ bytes, thread, place }) => {
      // The answer of a thread that ended may come behind that.
      if (Atomics.load(steps, place) !== thread) return
      Atomics.sub(steps, place + 1, bytes / STEP_BYTES)
      Atomics.sub(steps, MADE, bytes / STEP_BYTES)
    },
    threadEnded: (thread) => {
      for (let place = FIRST_PLACE; place < counters; place += 2) {
        if (Atomics.load(steps, place) !== thread) continue
        Atomics.sub(steps, MADE, Atomics.exchange(steps, place + 1, 0))
        Atomics.store(steps, place, NOBODY)
      }
    },
  }
}

function tooMuch(): string {
  return `Answers that clients have yet to take would be more than the setting ${variableOf('answersBytesMax')} allows; ask for less at once, or try again soon.`
}

/** What one thread claims of the room, for one answer at a time. */
export interface Claims {
  /**
   * Claims so many bytes in all for the answer at hand. Returns how many it has then. Throws
   * OVERLOADED when there is no room.
   */
  reach: (bytes: number) => number
  /** Begins with the next answer. Returns what the one before has, if any: it is the main thread's to give back. */
  handOver: () => Claim | undefined
  /** Gives back what the answer at hand has. */
  giveUp: () => void
}

/** An answer claims so much at a time, so that it is refused before its memory is made. */
const CLAIM_BYTES = 64 << 10

/** Opens the claims of this thread; without a room everything has some. */
export function openClaims(memory: SharedArrayBuffer | undefined, thread = threadId): Claims {
  const steps = new Int32Array(memory ?? openAnswerRoom(2 ** 40).memory)
  let place = 0
  let own = 0

  // A thread may end between any two lines. At worst one claim stays counted, and nothing is subtracted twice.
  function giveUp(): void {
    if (own === 0) return
    Atomics.sub(steps, place + 1, own)
    Atomics.sub(steps, MADE, own)
    own = 0
  }
  function claim(more: number): void {
    // Few threads ever make long answers.
    place ||= findPlace(steps, thread)
    for (;;) {
      const made = Atomics.load(steps, MADE)
      const others = made - own + Atomics.load(steps, WAITING)
      if (others > 0 && others + own + more > Atomics.load(steps, MAX)) {
        // At once: of two that are too much together, one goes on.
        giveUp()
        // From a thread, an error is told by its code and sentence.
        throw new Error(`OVERLOADED: ${tooMuch()}`)
      }
      if (Atomics.compareExchange(steps, MADE, made, made + more) !== made) continue
      Atomics.add(steps, place + 1, more)
      own += more
      return
    }
  }
  return {
    reach: (bytes) => {
      const wanted = (Math.ceil(bytes / CLAIM_BYTES) * CLAIM_BYTES) / STEP_BYTES
      if (wanted > own) claim(wanted - own)
      return own * STEP_BYTES
    },
    handOver: () => {
      if (own === 0) return undefined
      const claim = { bytes: own * STEP_BYTES, thread, place }
      own = 0
      return claim
    },
    giveUp,
  }
}

function findPlace(steps: Int32Array, thread: number): number {
  for (let place = FIRST_PLACE; place < steps.length; place += 2)
    if (Atomics.compareExchange(steps, place, NOBODY, thread) === NOBODY) return place
  throw new Error(`More than ${PLACES} threads make answers.`)
}
