import { openLastingFailures } from '../../lasting-failures.ts'
import { isRefusal } from '../../store/failure.ts'

export interface FailureReports {
  /** A slice that failed; it is tried again after a while. */
  onFailure: (cause: unknown) => void
  /** What failed goes on. */
  onEnd: () => void
}

/** What can fail of a slice: its facts are taken and saved, or one that made a consumer throw is counted. */
type Step = 'take' | 'count'

/** How saving goes: whether those who read what was learned still wait for it. */
export interface Failures {
  /** Nothing can be saved: the store is full or broken, or it was tried often enough. */
  isRefused: () => boolean
  /** What the last attempt failed by. */
  cause: () => unknown
  /** Reports a failure unless it is the one that goes on. */
  tell: (step: Step, cause: unknown) => void
  /** One more in a row; `insists` where a refusal of the store, too, is to be tried again at once. */
  note: (cause: unknown, insists: boolean) => void
  /** Readers wait again to see what was learned. */
  clear: () => void
  /** It was saved. */
  end: () => void
}

/** So often in a row something is tried again at once while somebody waits. */
const FAILURES_MAX = 5

export function openFailures({ onFailure, onEnd }: FailureReports): Failures {
  const lasting = openLastingFailures<Step>(onFailure, onEnd)
  let times = 0
  let refused = false
  let last: unknown
  function clear(): void {
    times = 0
    refused = false
  }
  return {
    isRefused: () => refused,
    cause: () => last,
    tell: lasting.failed,
    note: (cause, insists) => {
      times += 1
      last = cause
      refused = (isRefusal(cause) && !insists) || times >= FAILURES_MAX
    },
    clear,
    end: () => {
      clear()
      lasting.drop('count')
      lasting.went('take')
    },
  }
}
