import { isRefusal } from '../../store/failure.ts'

/** How saving goes: whether those who read what was learned still wait for it. */
export interface Failures {
  /** Nothing can be saved: the store is full or broken, or it was tried often enough. */
  isRefused: () => boolean
  /** What the last attempt failed by. */
  cause: () => unknown
  /** One more in a row; `insists` where a refusal of the store, too, is to be tried again at once. */
  note: (cause: unknown, insists: boolean) => void
  /** It was saved: readers wait again to see what was learned. */
  clear: () => void
}

/** So often in a row something is tried again at once while somebody waits. */
const FAILURES_MAX = 5

export function openFailures(): Failures {
  let times = 0
  let refused = false
  let last: unknown
  return {
    isRefused: () => refused,
    cause: () => last,
    note: (cause, insists) => {
      times += 1
      last = cause
      refused = (isRefusal(cause) && !insists) || times >= FAILURES_MAX
    },
    clear: () => {
      times = 0
      refused = false
    },
  }
}
