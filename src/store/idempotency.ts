import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import type { AnswerOnce, KeptAnswer } from '../schema/answer.ts'
import type { Store } from './store.ts'
import type { StoredAnswer } from './tables.ts'

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
  /** Undefined while its body arrives. */
  bodyHash: string | undefined
  answer: Promise<KeptAnswer>
}

/** Printable ASCII, as header values are. */
const KEY = /^[\x20-\x7e]{1,255}$/
const SWEEP_ROWS = 500

export function openIdempotency(options: IdempotencyOptions): Idempotency {
  const { store, config, clock = Date.now } = options
  const { idempotency, idempotencyExpiry } = store.tables
  const flights = new Map<string, Flight>()

  async function keep(
    key: string,
    flight: Pick<StoredAnswer, 'route' | 'bodyHash'>,
    answer: KeptAnswer,
  ) {
    const expiresMs = clock() + config.idempotencyMs
    await store.write(() => {
      idempotency.put(key, { ...flight, ...answer, expiresMs })
      idempotencyExpiry.put([expiresMs, key], true)
    })
  }
  return {
    run: async (key, route, body, produce) => {
      checkKey(key)
      const flying = flights.get(key)
      const stored = flying === undefined ? idempotency.get(key) : undefined
      const first = flying ?? (stored && stored.expiresMs > clock() ? stored : undefined)
      if (first !== undefined) {
        if (first.route !== route) throw conflict()
        const isKnown = first.bodyHash !== undefined && typeof body === 'string'
        if (flying !== undefined && !isKnown) throw underWay()
        if (first.bodyHash !== (typeof body === 'string' ? body : await body.hash()))
          throw conflict()
      }
      if (flying !== undefined) return { ...(await flying.answer), replayed: true }
      if (first !== undefined && stored !== undefined) return { ...stored, replayed: true }
      const answer = produce().then(async (made) => {
        const bodyHash = typeof body === 'string' ? body : body.hashed()
        // What the answer tells has happened, also where there is no room to keep it.
        if (made.status < 500 && bodyHash !== undefined)
          await keep(key, { route, bodyHash }, made).catch(() => undefined)
        return made
      })
      flights.set(key, { route, bodyHash: typeof body === 'string' ? body : undefined, answer })
      try {
        return { ...(await answer), replayed: false }
      } finally {
        flights.delete(key)
      }
    },
    sweep: (nowMs) => sweep(store, nowMs),
  }
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

function underWay(): Error {
  return serviceError(
    'IDEMPOTENCY_CONFLICT',
    'A request with this Idempotency-Key is under way; send it again when that has ended.',
    { retryAfterS: 1 },
  )
}

function checkKey(key: string): void {
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
