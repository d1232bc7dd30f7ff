import { formatTable } from './table.ts'

/** What a run of simulated people came to. */
export interface Outcome {
  folder: string
  mode: string
  queries: number
  start: number
  /** With those of the first ten hits first that people find relevant. */
  best: number
  curve: { sessions: number; raw: number; learned: number }[]
  /** Hits that the fraudulent session moved. */
  fraud: number
  /** Queries that nobody asked meanwhile. */
  unseen: { queries: number; start: number; end: number }
}

const BAR_LIFT = 0.04
const BAR_LOSS = 0.002
/**
 * Where there is less to gain than the bar asks, this share of it must come: after fifteen sessions a fifth of what
 * stands in the tenth place has been looked at by nobody.
 */
const SHARE_MIN = 0.8

interface Bar {
  name: string
  value: string
  bar: string
  met: boolean
}

/** Whether learning lifted enough, and harmed nothing. */
export function judgeLoop({ start, best, curve, fraud, unseen }: Outcome): Bar[] {
  const lift = (curve.at(-1)?.learned ?? start) - start
  const asked = Math.min(BAR_LIFT, SHARE_MIN * (best - start))
  const loss = start - Math.min(...curve.map(({ learned }) => learned))
  const unseenLoss = unseen.start - unseen.end
  const atMost = (name: string, value: number): Bar => {
    return { name, value: value.toFixed(4), bar: `≤ ${BAR_LOSS}`, met: value <= BAR_LOSS }
  }
  return [
    {
      name: 'lift at the end',
      value: lift.toFixed(4),
      bar: `≥ ${asked.toFixed(4)}`,
      met: lift >= asked,
    },
    atMost('greatest loss', loss),
    atMost(`loss of ${unseen.queries} queries that nobody asked`, unseenLoss),
    { name: 'hits moved by fraud', value: String(fraud), bar: '0', met: fraud === 0 },
  ]
}

/** Prints the curve and the bars; answers whether all were met. */
export function reportLoop(outcome: Outcome): boolean {
  const { folder, mode, queries, start, best, curve } = outcome
  console.log(`\n${folder}: ${queries} queries, nDCG@10, ${mode}`)
  console.log(
    formatTable([
      ['sessions a query', 'unlearned', 'raw counts', 'learned'],
      ...curve.map((row) => [
        row.sessions,
        start.toFixed(4),
        row.raw.toFixed(4),
        row.learned.toFixed(4),
      ]),
    ]),
  )
  const bars = judgeLoop(outcome)
  console.log(
    formatTable([
      ['figure', 'value', 'bar', ''],
      ...bars.map(({ name, value, bar, met }) => [name, value, bar, met ? 'met' : 'MISSED']),
      ['first ten, the relevant ones first', best.toFixed(4), '', ''],
    ]),
  )
  console.log(JSON.stringify(outcome))
  return bars.every(({ met }) => met)
}
