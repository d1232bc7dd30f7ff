import { chanceAt, type PlaceChances } from '../statistics/place-chances.ts'
import { DAY_MS } from '../wire/duration.ts'

/**
 * What is known of one document under one query: gain, examination, looks and choices by UTC day, flat quintuples [day,
 * gain, examination, looks, choices, …] with ascending days. A look at position p is an examination of 1/p here, however
 * people look: that is known later, and better every day, so that it is asked when the evidence is weighed. A choice is a
 * look that something was gained from, however much. All are whole millionths, so that sums don't depend on their order and
 * what was added can be taken out again exactly.
 */
export type DailyEvidence = number[]

/** What comes to a day, or, negative, is taken from it. */
export interface EvidenceChange {
  day: number
  gain: number
  examination: number
  looks: number
  choices: number
}

/** How fast evidence fades. */
export interface Fading {
  memoryHalfLifeMs: number
}

/** How evidence is weighed. */
export interface Weighing extends Fading {
  chances: PlaceChances
}

export const MILLION = 1_000_000
/** Days kept apart for one pair; beyond it the oldest joins the one after, as it weighs then: it would never age else. */
const DAYS_MAX = 32
/**
 * Millionths that rounding may leave where all is taken out again: days that join others are rounded each time. A hit that
 * nobody chose any more would count as chosen.
 */
const ROUNDED_MAX = 30
/** Numbers of a day. */
export const WIDTH = 5
/** The choices of a day with gains from before they were counted; whatever is added leaves them so. */
export const UNCOUNTED = Number.NaN

/**
 * Adds to a day, or takes from it; a day without evidence is left out. Returns the list to keep: another one when there
 * is a day more, since a list that grew in place would hold on to spare room.
 */
export function addEvidence(
  evidence: DailyEvidence,
  change: EvidenceChange,
  fading: Fading,
): DailyEvidence {
  let at = evidence.length
  while (at > 0 && (evidence[at - WIDTH] as number) >= change.day) at -= WIDTH
  const isLess = change.gain + change.examination < 0
  const isThere = evidence[at] === change.day || (isLess && at < evidence.length)
  if (!isThere)
    return change.gain <= 0 && change.examination <= 0
      ? evidence
      : withDay(evidence, at, change, fading)
  const { gain, examination, looks, choices } = asOfDay(change, evidence[at] as number, fading)
  const rounded = isLess ? ROUNDED_MAX : 0
  const gained = moreThan(rounded, (evidence[at + 1] as number) + gain)
  const examined = moreThan(rounded, (evidence[at + 2] as number) + examination)
  if (gained === 0 && examined === 0) evidence.splice(at, WIDTH)
  else {
    evidence[at + 1] = gained
    evidence[at + 2] = examined
    evidence[at + 3] = Math.max(0, (evidence[at + 3] as number) + looks)
    evidence[at + 4] = choicesOf(gained, (evidence[at + 4] as number) + choices)
  }
  return evidence
}

function moreThan(rounded: number, amount: number): number {
  return amount > rounded ? amount : 0
}

/** What is taken from a day that has joined another comes out of that one, as much as came into it. */
function asOfDay(change: EvidenceChange, day: number, fading: Fading): EvidenceChange {
  if (change.day === day) return change
  const left = (amount: number) => faded(amount, day - change.day, fading)
  const { gain, examination, looks, choices } = change
  return {
    day,
    gain: left(gain),
    examination: left(examination),
    looks: left(looks),
    choices: left(choices),
  }
}

function withDay(
  evidence: DailyEvidence,
  at: number,
  { day, gain, examination, looks, choices }: EvidenceChange,
  fading: Fading,
): DailyEvidence {
  const gained = Math.max(0, gain)
  const added = [day, gained, Math.max(0, examination), Math.max(0, looks)]
  added.push(choicesOf(gained, choices))
  if (evidence.length === 0) return added
  const longer = [...evidence.slice(0, at), ...added, ...evidence.slice(at)]
  if (longer.length > DAYS_MAX * WIDTH) joinOldest(longer, fading)
  return longer.slice()
}

/** Where nothing is gained nobody has chosen. */
function choicesOf(gained: number, choices: number): number {
  return gained === 0 ? 0 : Math.max(0, choices)
}

function joinOldest(evidence: DailyEvidence, fading: Fading): void {
  const [day = 0, ...oldest] = evidence.splice(0, WIDTH)
  const days = (evidence[0] as number) - day
  for (const [at, amount] of oldest.entries())
    evidence[at + 1] = (evidence[at + 1] as number) + faded(amount, days, fading)
  evidence[4] = choicesOf(evidence[1] as number, evidence[4] as number)
}

/** Whole millionths that are left of some after so many days. */
function faded(millionths: number, days: number, fading: Fading): number {
  return Math.round(millionths * shareAfter(days, fading))
}

/** Each day's share has halved once in the half-life. */
function shareAfter(days: number, { memoryHalfLifeMs }: Fading): number {
  return 2 ** (-(days * DAY_MS) / memoryHalfLifeMs)
}

/** Millionths of gain, whatever their age, of the days that are kept apart. */
export function gainOf(evidence: DailyEvidence): number {
  return sumOf(evidence, 1)
}

/** Millionths of examination, whatever their age, of the days that are kept apart. */
export function examinationOf(evidence: DailyEvidence, chances: PlaceChances = { eta: 1 }): number {
  return examinationAt(chances, sumOf(evidence, 2), sumOf(evidence, 3))
}

function sumOf(evidence: DailyEvidence, column: number): number {
  let sum = 0
  for (let at = column; at < evidence.length; at += WIDTH) sum += evidence[at] as number
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

/** What evidence is worth on a day. */
interface Weighed {
  gain: number
  examination: number
  looks: number
  choices: number
  /** What of the gain is of choices that were not counted. */
  uncounted: number
}

/** By the share that is left of each day. */
export function weighEvidence(
  evidence: DailyEvidence,
  today: number,
  { chances, ...fading }: Weighing,
): Weighed {
  let gain = 0
  let examination = 0
  let looks = 0
  let choices = 0
  let uncounted = 0
  for (let at = 0; at < evidence.length; at += WIDTH) {
    const age = Math.max(0, today - (evidence[at] as number))
    const share = age === 0 ? 1 / MILLION : shareAfter(age, fading) / MILLION
    gain += share * (evidence[at + 1] as number)
    examination += share * (evidence[at + 2] as number)
    looks += share * (evidence[at + 3] as number)
    const chosen = evidence[at + 4] as number
    if (Number.isNaN(chosen)) uncounted += share * (evidence[at + 1] as number)
    else choices += share * chosen
  }
  examination = examinationAt(chances, examination, looks)
  return { gain, examination, looks, choices, uncounted }
}

/**
 * Looks that are an examination so great with an η of 1, as people look: as if all had been at one position, the one
 * whose 1/p is their mean. Of evidence from before looks were counted it stays as it is.
 */
function examinationAt(chances: PlaceChances, examination: number, looks: number): number {
  const isPlain = chances.eta === 1 && chances.places === undefined
  if (isPlain || looks <= examination) return examination
  return looks * chanceAt(chances, looks / examination)
}
