import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Collect } from './collect.ts'

/** How far back each page looks at least; at most it is twice as far, or as far as the page before. */
const WINDOW_MS = 30_000
/**
 * Names that the library gives to the same, which it forgets at each page: of two scrapers that
 * come together one sees nothing.
 */
const NAME = 'nodejs_eventloop_lag'

const FIGURES: Record<string, [help: string, read: (delays: IntervalHistogram) => number]> = {
  min: ['The least', ({ min }) => min],
  max: ['The most', ({ max }) => max],
  mean: ['The mean', ({ mean }) => mean],
  stddev: ['The standard deviation', ({ stddev }) => stddev],
  p50: ['The median', (delays) => delays.percentile(50)],
  p90: ['The 90th percentile', (delays) => delays.percentile(90)],
  p99: ['The 99th percentile', (delays) => delays.percentile(99)],
}

/** The families of the library that `collectEventLoop` has figures of its own for. */
export const REPLACED = Object.keys(FIGURES).map((figure) => `${NAME}_${figure}_seconds`)

/** Puts on the page how long the event loop keeps a timer of ten milliseconds waiting, and how busy it is. */
export function collectEventLoop(
  collect: Collect,
  now: () => number = () => performance.now(),
): void {
  const delays = openDelays(now)
  for (const [figure, [help, read]] of Object.entries(FIGURES))
    collect(
      `${NAME}_${figure}_seconds`,
      `${help} of the times between two turns of a timer of 10 ms, over the last half minute or minute`,
      [],
      () => {
        const told = delays()
        return told.count === 0 ? [] : [{ value: read(told) / 1e9 }]
      },
    )
  collect('nodejs_eventloop_busy_seconds_total', 'Time the event loop was busy', [], () => [
    { value: performance.eventLoopUtilization().active / 1000 },
  ])
  collect(
    'nodejs_eventloop_utilization_ratio',
    'Share of time since the start that the event loop was busy',
    [],
    () => [{ value: performance.eventLoopUtilization().utilization }],
  )
}

/** Two that measure the same and are emptied by turns: the one that was not emptied last is told. */
function openDelays(now: () => number): () => IntervalHistogram {
  let told = monitorEventLoopDelay()
  let next = monitorEventLoopDelay()
  for (const each of [told, next]) each.enable()
  let emptiedMs = now()
  return () => {
    if (now() - emptiedMs > WINDOW_MS) {
      ;[told, next] = [next, told]
      next.reset()
      emptiedMs = now()
    }
    return told
  }
}
