import { DAY_MS } from '../wire/duration.ts'

/**
 * What is known of one document under one query: gain and examination by UTC day, flat triples [day, gain,
 * examination, …] with ascending days. Both are whole millionths, so that sums don't depend on their order and
 * what was added can be taken out again exactly.
 */
export type DailyEvidence = number[]

export const MILLION = 1_000_000
/** Days kept apart for one pair; beyond it the oldest joins the one after. */
const DAYS_MAX = 32
const WIDTH = 3

/**
 * Adds to (or, with negative numbers, takes from) a day; a day without evidence is left out. Returns the list to
 * keep: another one when there is a day more, since a list that grew in place would hold on to spare room.
 */
export function addEvidence(
  evidence: DailyEvidence,
  day: number,
  gain: number,
  examination: number,
): DailyEvidence {
  let at = evidence.length
  while (at > 0 && (evidence[at - WIDTH] as number) >= day) at -= WIDTH
  // What is taken from a day that has joined another comes out of that one.
  const isThere = evidence[at] === day || (gain + examination < 0 && at < evidence.length)
  if (!isThere) {
    if (gain <= 0 && examination <= 0) return evidence
    if (evidence.length === 0) return [day, Math.max(0, gain), Math.max(0, examination)]
    const longer = [
      ...evidence.slice(0, at),
      day,
      Math.max(0, gain),
      Math.max(0, examination),
      ...evidence.slice(at),
    ]
    if (longer.length > DAYS_MAX * WIDTH) joinOldest(longer)
    return longer.slice()
  }
  const gained = Math.max(0, (evidence[at + 1] as number) + gain)
  const examined = Math.max(0, (evidence[at + 2] as number) + examination)
  if (gained === 0 && examined === 0) evidence.splice(at, WIDTH)
  else {
    evidence[at + 1] = gained
    evidence[at + 2] = examined
  }
  return evidence
}

function joinOldest(evidence: DailyEvidence): void {
  const [, gain = 0, examination = 0] = evidence.splice(0, WIDTH)
  evidence[1] = (evidence[1] as number) + gain
  evidence[2] = (evidence[2] as number) + examination
}

/** Millionths of gain, whatever their age. */
export function gainOf(evidence: DailyEvidence): number {
  let sum = 0
  for (let at = 1; at < evidence.length; at += WIDTH) sum += evidence[at] as number
  return sum
}

/** Millionths of examination, whatever their age. */
export function examinationOf(evidence: DailyEvidence): number {
  let sum = 0
  for (let at = 2; at < evidence.length; at += WIDTH) sum += evidence[at] as number
  return sum
}

/** The days of the oldest and the newest evidence, of which there is some. */
export function daysOf(evidence: DailyEvidence): [oldest: number, newest: number] {
  return [evidence[0] as number, evidence.at(-WIDTH) as number]
}

/** What was known when a day began. */
export function evidenceBefore(evidence: DailyEvidence, day: number): DailyEvidence {
  let end = evidence.length
  while (end > 0 && (evidence[end - WIDTH] as number) >= day) end -= WIDTH
  return evidence.slice(0, end)
}

/** What the evidence is worth on a day: each day's share has halved once in `halfLifeMs`. */
export function weighEvidence(
  evidence: DailyEvidence,
  today: number,
  halfLifeMs: number,
): { gain: number; examination: number } {
  let gain = 0
  let examination = 0
  for (let at = 0; at < evidence.length; at += WIDTH) {
    const age = Math.max(0, today - (evidence[at] as number))
    const share = age === 0 ? 1 / MILLION : 2 ** (-(age * DAY_MS) / halfLifeMs) / MILLION
    gain += share * (evidence[at + 1] as number)
    examination += share * (evidence[at + 2] as number)
  }
  return { gain, examination }
}
