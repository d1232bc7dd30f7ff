import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { ExperimentRecord, Rollout } from '../../schema/experiment-record.ts'
import { lowerWord } from '../../word.ts'
import { DAY_MS, durationOf, durationWarnings, HOUR_MS } from '../wire/duration.ts'
import { SAMPLES_ELSEWHERE } from '../wire/operators.ts'
import { type KnownBody, unreadFieldsAt } from '../wire/unread-fields.ts'
import { readMinSamples } from './min-samples.ts'

const TYPES: Record<string, Rollout['type']> = {
  immediate: 'immediate',
  full: 'immediate',
  instant: 'immediate',
  linear: 'linear',
  ramp: 'linear',
  steps: 'steps',
  stepped: 'steps',
  staged: 'steps',
  phased: 'steps',
  gradual: 'steps',
  progressive: 'steps',
  canary: 'steps',
}
const DEFAULT_STEPS = [0.1, 0.25, 0.5, 1]
const LINEAR_STEPS = 10
const STEPS_MAX = 100
/** As far may a step that a client added up lie beside the whole. */
const STEP_ERROR = 1e-6
const DEFAULT_INTERVAL_MS = HOUR_MS
/** A year: the ends of longer ones may lie beyond what a date can hold. */
const INTERVAL_MS_MAX = 365 * DAY_MS
const DEFAULT_SAMPLES = 100

const PATH = 'rolloutStrategy'
const EVERY_STEP = {
  duration: 'interval',
  stepDuration: 'interval',
  stepInterval: 'interval',
  every: 'interval',
  ...SAMPLES_ELSEWHERE,
}
/**
 * Fields of a roll-out. Whoever sends another one is told: without it, people would be let in at another time, or
 * after others, than was meant.
 */
const BODY: KnownBody = {
  is: 'a roll-out',
  known: new Set(['type', 'steps', 'interval', 'minSamples']),
  meant: {
    ...EVERY_STEP,
    strategy: 'type',
    stages: 'steps',
    phases: 'steps',
    percentages: 'steps',
  },
}
const STEP_SHARES = ['percentage', 'percent', 'share', 'allocation']
const STEP_BODY: KnownBody = {
  is: 'a step of a roll-out',
  known: new Set(STEP_SHARES),
  meant: Object.fromEntries(
    Object.entries({ ...EVERY_STEP, interval: 'interval', minSamples: 'minSamples' }).map(
      ([name, meant]) => [name, `${PATH}.${meant}`],
    ),
  ),
}

/** All units of its share at once. */
export const AT_ONCE: Rollout = { type: 'immediate', steps: [1], intervalMs: 0, minSamples: 0 }

/**
 * Reads `{type, steps, interval, minSamples}`; what is missing is 10 → 25 → 50 → 100 percent, an hour and 100 units a
 * step. Steps up to 1 are shares, others percentages. Throws VALIDATION_FAILED for what can't be meant; says in `warnings`
 * what is not used.
 */
export function readRollout(sent: object = {}, warnings: string[] = []): Rollout {
  const strategy = sent as Record<string, unknown>
  const { type: sentType = 'steps' } = strategy
  const word = lowerWord(sentType)
  const type = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined
  if (type === undefined) throw invalid(`${PATH}.type`, 'must be immediate, linear or steps')
  warnings.push(...unreadFieldsAt(PATH, sent, BODY))
  if (type === 'immediate') {
    warnings.push(...vainWarnings(sent))
    return AT_ONCE
  }
  const rollout: Rollout = {
    type,
    steps: type === 'linear' ? linearSteps(strategy.steps) : readSteps(strategy.steps),
    intervalMs: readInterval(strategy.interval, `${PATH}.interval`),
    minSamples: readMinSamples(strategy, PATH) ?? DEFAULT_SAMPLES,
  }
  warnings.push(...durationWarnings(strategy.interval, `${PATH}.interval`))
  const steps: unknown[] = Array.isArray(strategy.steps) ? strategy.steps : []
  for (const [at, step] of steps.entries())
    warnings.push(...unreadFieldsAt(`${PATH}.steps[${at}]`, asObject(step) ?? {}, STEP_BODY))
  return rollout
}

/** What a roll-out without steps does without. */
function vainWarnings(sent: object): string[] {
  const vain = ['steps', 'interval', 'minSamples'].filter((name) => Object.hasOwn(sent, name))
  if (vain.length === 0) return []
  return [
    `${PATH}: type immediate lets everybody in at once, and does not use ${vain.join(', ')}; send type steps or linear for steps.`,
  ]
}

/**
 * When the time at its step is over; undefined at the last one. Records stored before intervals had a maximum are
 * held to it here, so that they can still be read.
 */
export function stepEndMs({ rollout, step, stepSinceMs }: ExperimentRecord): number | undefined {
  if (step + 1 >= rollout.steps.length) return undefined
  return stepSinceMs + Math.min(rollout.intervalMs, INTERVAL_MS_MAX)
}

function linearSteps(sent: unknown = LINEAR_STEPS): number[] {
  if (Array.isArray(sent)) return readSteps(sent)
  if (!Number.isInteger(sent) || Number(sent) < 1 || Number(sent) > STEPS_MAX)
    throw invalid(`${PATH}.steps`, `must be a whole number from 1 to ${STEPS_MAX}`)
  return Array.from({ length: Number(sent) }, (_, at) => (at + 1) / Number(sent))
}

function readSteps(sent: unknown): number[] {
  if (sent === undefined) return DEFAULT_STEPS
  const path = `${PATH}.steps`
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > STEPS_MAX)
    throw invalid(path, `must be a list of 1 to ${STEPS_MAX} shares`)
  const numbers = sent.map(shareOfStep)
  const whole = numbers.every((number) => number <= 1 + STEP_ERROR) ? 1 : 100
  const shares = numbers.map((number) => number / whole)
  const steps = shares.map((share) => (Math.abs(share - 1) <= STEP_ERROR ? 1 : share))
  const grows = steps.every((step, at) => step > (steps[at - 1] ?? 0) && step <= 1)
  if (!grows) throw invalid(path, 'must hold shares that grow, at most 1 or 100')
  return steps
}

/** A step is a number, or an object with one under a name that says so. */
function shareOfStep(step: unknown, at: number): number {
  const path = `${PATH}.steps[${at}]`
  if (typeof step === 'number') return step
  const object = asObject(step)
  if (object === undefined) throw invalid(path, 'must be a number, or an object with a share')
  const name = STEP_SHARES.find((each) => object[each] !== undefined)
  if (name === undefined) throw invalid(`${path}.share`, 'is required')
  const share = object[name]
  if (typeof share !== 'number') throw invalid(`${path}.${name}`, 'must be a number')
  return share
}

function readInterval(sent: unknown, path: string): number {
  if (sent === undefined) return DEFAULT_INTERVAL_MS
  const durationMs = durationOf(sent)
  if (durationMs === undefined)
    throw invalid(path, 'must be a text with its unit, like "1h" or "PT1H", or a number of ms')
  if (durationMs > INTERVAL_MS_MAX) throw invalid(path, 'must be at most a year, "365d"')
  return durationMs
}
