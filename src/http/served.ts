import type { Config } from '../config.ts'
import type { Metrics } from '../metrics.ts'

/** What the wire itself needs of the app; the rest is the handlers' business. */
export interface ServedApp {
  config: Config
  log: WireLog
  metrics: Metrics
  idempotency: Idempotency
  lifecycle: Lifecycle
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

/** A finished answer, as it is kept for a repeated key. */
export interface KeptAnswer {
  status: number
  body: Uint8Array
}

export interface Idempotency {
  /** Throws IDEMPOTENCY_CONFLICT when the key was used with another body. */
  run: (
    key: string,
    route: string,
    bodyHash: string,
    produce: () => Promise<KeptAnswer>,
  ) => Promise<KeptAnswer & { replayed: boolean }>
}
