import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import type { AnswerOnce, ArrivingBody, KeptAnswer, NoteDone } from '../schema/answer.ts'
import type { Store } from './store.ts'
import type { DoneRequest, StoredAnswer } from './tables.ts'

/** Gives the first answer again to whoever sends the same key and body within the time that keys are kept. */
export interface Idempotency {
  run: AnswerOnce
  /** Forgets the answers whose time is over; returns how many. */
  sweep: (nowMs: number) => Promise<number>
}

export interface IdempotencyOptions {
  store: Store
  config: Pick<Config, 'idempotencyMs'>
  /** Milliseconds since the epoch. */
  clock?: () => number
}

interface Flight {
  route: string
  /** Undefined until all of its body was there. */
  bodyHash: () => string | undefined
  answer: Promise<KeptAnswer>
}

/** Printable ASCII, as header values are. */
const KEY = /^[\x20-\x7e]{1,255}$/
const SWEEP_ROWS = 500

export function openIdempotency(options: IdempotencyOptions): Idempotency {
  const { store, config, clock = Date.now } = options
  const { idempotency, idempotencyExpiry } = store.tables
  const flights = new Map<string, Flight>()

  function keepWithin(key: string, done: StoredAnswer | DoneRequest): void {
    idempotency.put(key, done)
    idempotencyExpiry.put([done.expiresMs, key], true)
  }
  return {
    run: async (key, route, body, produce) => {
      refuseMalformedKey(key)
      for (;;) {
        const flying = flights.get(key)
        if (flying === undefined) break
        if (flying.route !== route) throw conflict()
        const shared = await answerOf(flying, body)
        if (shared !== undefined) return { ...shared, replayed: true }
      }
      const kept = idempotency.get(key)
      if (kept !== undefined && kept.expiresMs > clock()) {
        if (kept.route !== route || kept.bodyHash !== (await hashOf(body))) throw conflict()
        if (!isAnswer(kept)) throw answerLost()
        return { ...kept, replayed: true }
      }
      // Nothing was awaited since the last look at `flights`: of two requests that come together one is the first.
      const expiresMs = clock() + config.idempotencyMs
      const flight = takeOff({ route, body }, produce, {
        noteWithin: (done) => keepWithin(key, { ...done, expiresMs }),
        keep: (done, made) => store.write(() => keepWithin(key, { ...done, ...made, expiresMs })),
      })
      flights.set(key, flight)
      try {
        return { ...(await flight.answer), replayed: false }
      } finally {
        flights.delete(key)
      }
    },
    sweep: (nowMs) => sweep(store, nowMs),
  }
}

/** How what a request did, and its answer, are remembered; `noteWithin` inside a transaction. */
interface Keeping {
  noteWithin: (done: Omit<DoneRequest, 'expiresMs'>) => void
  keep: (done: Omit<DoneRequest, 'expiresMs'>, answer: KeptAnswer) => Promise<void>
}

/** A request that is the first with its key. What it did is answered also where there is no room to keep the answer. */
function takeOff(
  { route, body }: { route: string; body: string | ArrivingBody },
  produce: (noteDone: NoteDone) => Promise<KeptAnswer>,
  { noteWithin, keep }: Keeping,
): Flight {
  const bodyHash = typeof body === 'string' ? () => body : body.hashed
  const noteDone = () => {
    const hash = bodyHash()
    // One that is cut off is another request when it comes whole.
    if (hash !== undefined) noteWithin({ route, bodyHash: hash })
  }
  const answer = produce(noteDone).then(async (made) => {
    const hash = bodyHash()
    if (made.status < 500 && hash !== undefined)
      await keep({ route, bodyHash: hash }, made).catch(() => undefined)
    return made
  })
  return { route, bodyHash, answer }
}

/**
 * The answer of a request under way, for the same one; undefined where it ended without one that is known to be to the same:
 * then it is free to whoever waited. A body that arrives bit by bit is not read before: it may be needed yet.
 */
async function answerOf(
  { bodyHash, answer }: Flight,
  body: string | ArrivingBody,
): Promise<KeptAnswer | undefined> {
  if (typeof body === 'string' && bodyHash() !== undefined) {
    if (bodyHash() !== body) throw conflict()
    return answer
  }
  const made = await answer.catch(() => undefined)
  if (made === undefined || bodyHash() === undefined) return undefined
  if (bodyHash() !== (await hashOf(body))) throw conflict()
  return made
}

async function hashOf(body: string | ArrivingBody): Promise<string> {
  return typeof body === 'string' ? body : body.hash()
}

/** As many as there are: more may become due in a round than one step takes. */
async function sweep(store: Store, nowMs: number): Promise<number> {
  let forgotten = 0
  for (;;) {
    const due = await sweepSome(store, nowMs)
    forgotten += due
    if (due < SWEEP_ROWS) return forgotten
  }
}

async function sweepSome(store: Store, nowMs: number): Promise<number> {
  const { idempotency, idempotencyExpiry } = store.tables
  const due = [...idempotencyExpiry.keys({ end: [nowMs + 1, ''], limit: SWEEP_ROWS })]
  if (due.length === 0) return 0
  await store.release(() => {
    for (const row of due) {
      idempotencyExpiry.remove(row)
      // The key may have been used anew since.
      const answer = idempotency.get(row[1])
      if (answer !== undefined && answer.expiresMs <= nowMs) idempotency.remove(row[1])
    }
  })
  return due.length
}

function conflict(): Error {
  return serviceError(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used with another request; choose a new one.',
  )
}

function isAnswer(done: StoredAnswer | DoneRequest): done is StoredAnswer {
  return 'body' in done
}

function answerLost(): Error {
  return serviceError(
    'IDEMPOTENCY_CONFLICT',
    'The request with this Idempotency-Key was done before, and its answer was lost: look up what it did.',
  )
}

function refuseMalformedKey(key: string): void {
  if (KEY.test(key)) return
  throw serviceError(
    'VALIDATION_FAILED',
    'Idempotency-Key must be 1 to 255 printable characters.',
    {
      details: [
        { path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' },
      ],
    },
  )
}
