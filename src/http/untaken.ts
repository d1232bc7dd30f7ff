import { variableOf } from '../config.ts'
import { type ServiceError, serviceError } from '../errors.ts'
import { PIECEWISE_BYTES } from './web-exchange.ts'

/** Long answers that wait in memory for clients who take them slowly, or not at all: those for some ten seconds. */
export interface Untaken {
  /** What to answer instead of one more of so many bytes; undefined when there is room. */
  refusal: (bytes: number) => ServiceError | undefined
  /** Counts bytes that begin to wait, or as negative that wait no more. */
  add: (bytes: number) => void
}

/** One alone is never refused, however long it is. */
export function openUntaken(bytesMax: number): Untaken {
  let waiting = 0
  return {
    refusal: (bytes) => {
      const fits = bytes <= PIECEWISE_BYTES || waiting === 0 || waiting + bytes <= bytesMax
      return fits ? undefined : serviceError('OVERLOADED', tooMuch(), { retryAfterS: 10 })
    },
    add: (bytes) => {
      waiting += bytes
    },
  }
}

function tooMuch(): string {
  return `Answers that clients have yet to take would be more than the setting ${variableOf('answersBytesMax')} allows; ask for less at once, or try again soon.`
}
