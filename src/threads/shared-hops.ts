import { variableOf } from '../config.ts'
import { serviceError } from '../errors.ts'

/** What became of one input of a shared hop: errors cross threads as their message only. */
export type Outcome<Output> = { value: Output } | { error: string }

export interface SharedHops<Input, Output> {
  /**
   * Rejects with OVERLOADED when too many wait, with TIMED_OUT when `isLeft` says, once a thread is free, that nobody
   * waits for the answer any more.
   */
  run: (input: Input, isLeft?: () => boolean) => Promise<Output>
  /** Inputs that wait for a thread. */
  waiting: () => number
}

interface Waiting<Input, Output> {
  input: Input
  isLeft: (() => boolean) | undefined
  resolve: (output: Output) => void
  reject: (cause: unknown) => void
}

/** Most inputs that ride together: more would keep the first of them waiting for the last. */
const HOP_INPUTS_MAX = 4

/**
 * Lets inputs that wait for a thread share the hop to it. A hop costs a tenth of a millisecond on both sides,
 * as much as a small search; while fewer than `hopsMax` are under way, an input rides alone and at once.
 */
export function openSharedHops<Input, Output>(
  hop: (inputs: Input[]) => Promise<Outcome<Output>[]>,
  options: {
    /** Hops under way at a time. */
    hopsMax: number
    /** Inputs that may wait for one. */
    waitingMax: number
    /** Gives a cause its code back, which stands in its message where it came from a thread. */
    named: (cause: unknown) => unknown
    /** Told of each hop that begins. */
    begun?: () => void
  },
): SharedHops<Input, Output> {
  const waiting: Waiting<Input, Output>[] = []
  let underWay = 0

  function start(): void {
    while (underWay < options.hopsMax && waiting.length > 0) {
      const share = Math.min(HOP_INPUTS_MAX, Math.ceil(waiting.length / options.hopsMax))
      const riders = waiting.splice(0, share).filter(stillAsked)
      if (riders.length > 0) void ride(riders)
    }
  }

  /** After a burst that clients gave up on, threads go on with those who came since. */
  function stillAsked({ isLeft, reject }: Waiting<Input, Output>): boolean {
    if (isLeft?.() !== true) return true
    reject(serviceError('TIMED_OUT', 'Nobody waits for this search any more.'))
    return false
  }

  async function ride(riders: Waiting<Input, Output>[]): Promise<void> {
    underWay += 1
    try {
      const riding = hop(riders.map(({ input }) => input))
      options.begun?.()
      const outcomes = await riding
      riders.forEach(({ resolve, reject }, at) => {
        const outcome = outcomes[at]
        if (outcome !== undefined && 'value' in outcome) resolve(outcome.value)
        else reject(options.named(new Error(outcome?.error ?? 'The worker gave no answer.')))
      })
    } catch (cause) {
      for (const { reject } of riders) reject(options.named(cause))
    } finally {
      underWay -= 1
      start()
    }
  }

  return {
    run: (input, isLeft) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= options.waitingMax) {
          reject(serviceError('OVERLOADED', tooMany(), { retryAfterS: 1 }))
          return
        }
        waiting.push({ input, isLeft, resolve, reject })
        start()
      }),
    waiting: () => waiting.length,
  }
}

function tooMany(): string {
  return `More searches are waiting than the setting ${variableOf('searchQueueMax')} allows; try again soon.`
}
