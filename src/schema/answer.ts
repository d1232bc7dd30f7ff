/** A finished answer as it went over the wire, and as it is kept for a repeated key. */
export interface KeptAnswer {
  status: number
  body: Uint8Array
  headers?: Record<string, string> | undefined
  /** What the metrics page counts it as; undefined for a success. */
  errorCode?: string | undefined
}

/** A body that is worked off while it arrives: what tells it from others is known at its end. */
export interface ArrivingBody {
  /** Reads what is left, and drops it. */
  hash: () => Promise<string>
  /** Undefined until all of it was read. */
  hashed: () => string | undefined
}

/**
 * Inside the transaction that does what a request asks for: notes that it is done. Whatever becomes of the answer then,
 * the same key does nothing a second time. For what would harm if it were done twice.
 */
export type NoteDone = () => void

/**
 * Answers with what `produce` made, or made the first time (`replayed`). Who comes while the first is under way waits
 * for it. An answer is on the disk before it is given; one of 500 and above is not kept, nor is an error that
 * `produce` throws. When the process dies between the effect and the stored answer, a retry runs again, unless
 * `produce` noted what it did.
 * Where one of the two bodies arrives bit by bit, whether they are the same is known when the first has ended; one that
 * ended before all of its body was there leaves the key to who waited.
 * Throws VALIDATION_FAILED for a key that is none, IDEMPOTENCY_CONFLICT for one that came with another request or whose
 * request is done and has no answer.
 */
export type AnswerOnce = (
  key: string,
  route: string,
  body: string | ArrivingBody,
  produce: (noteDone: NoteDone) => Promise<KeptAnswer>,
) => Promise<KeptAnswer & { replayed: boolean }>
