import type { AnswerRoom } from '../answer-room.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AnswerOnce } from '../schema/answer.ts'

/** What the wire itself needs of the app; the rest is the handlers' business. */
export interface ServedApp {
  config: Config
  log: WireLog
  metrics: Metrics
  answers: AnswerRoom
  /** What the heap may grow to before the process ends; default: what the process was started with. */
  heapBytesMax?: number
  idempotency: { run: AnswerOnce }
  lifecycle: Lifecycle
  /** Why the record store takes no more writes, undefined while all is well; and who hears what a request failed with. */
  store: { failure: () => unknown; noteDamage: (cause: unknown) => void }
}

export interface WireLog {
  error: (fields: object, message: string) => void
  warn: (fields: object, message: string) => void
  debug: (fields: object, message: string) => void
}

/** Whether the service takes requests; the server turns it to `stopping`. */
export interface Lifecycle {
  state: 'starting' | 'ready' | 'stopping'
}
