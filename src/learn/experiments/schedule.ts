import { openBreath } from '../../breath.ts'
import { ServiceError } from '../../errors.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import { monitoringOf } from './answers.ts'
import { unitsOf } from './arms.ts'
import { defaultEndOf } from './draft.ts'
import type { Counted } from './guardrails.ts'
import type { Register } from './register.ts'
import { stepEndMs } from './rollout.ts'
import { type Change, hasEnded } from './transitions.ts'
import { isDueToStart } from './waiting.ts'

export interface ScheduleParts {
  register: Register
  counted: (record: ExperimentRecord) => Counted
  clock: () => number
  /** Whether what began then did so while the clock was ahead. */
  staysAhead: (timeMs: number) => boolean
}

/**
 * Lets time pass: starts, ends, guardrails, steps. One that can't be judged has failed; the others go on. Throws what
 * the store refused, once all have had their turn: the next round tries that again.
 */
export async function advanceAll(parts: ScheduleParts): Promise<void> {
  const { register, clock } = parts
  const refused: { id: string; cause: unknown }[] = []
  const isFull = () => refused.some(({ cause }) => isLimit(cause))
  const breathe = openBreath()
  for (const id of Array.from(register.all(), (each) => each.id)) {
    // To judge one may take some ms, of which a thousand may be active.
    const pause = breathe()
    if (pause !== undefined) await pause
    const record = register.find(id)
    if (record === undefined || hasEnded(record) || (isFull() && isPutOff(record, clock())))
      continue
    try {
      await advanceOrFail(parts, record)
    } catch (cause) {
      refused.push({ id, cause })
    }
  }
  const over = register.running().some(({ record: { endMs } }) => endMs <= clock())
  if (over) register.refresh()
  const [first] = refused
  if (first === undefined) return
  const { message } = Object(first.cause) as Error
  const others = refused.length === 1 ? '' : ` and ${refused.length - 1} others`
  throw new Error(`${first.id}${others} can't go on: ${message}`, { cause: first.cause })
}

async function advanceOrFail(parts: ScheduleParts, record: ExperimentRecord): Promise<void> {
  try {
    await advance(parts, record)
  } catch (cause) {
    // Other refusals of the store say nothing of the experiment.
    if (cause instanceof ServiceError && cause.code !== 'VALIDATION_FAILED') throw cause
    await parts.register.steer(record.id, { to: 'FAILED', reason: reasonOf(cause) })
  }
}

function reasonOf(cause: unknown): NonNullable<Change['reason']> {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof ServiceError) return { text: message }
  return { text: 'Its evidence could not be read.', figures: { cause: message } }
}

async function advance(parts: ScheduleParts, record: ExperimentRecord): Promise<void> {
  const change = dueChange(record, parts.clock())
  if (record.status === 'ACTIVE' && parts.staysAhead(record.stepSinceMs))
    await parts.register.alter(record.id, (now) => beganNow(now, parts.clock()))
  else if (change !== undefined) await take(parts, record, change)
  else if (record.status === 'ACTIVE') await review(parts, record)
}

/** One that began, or came to its step, while the clock was ahead does so now: else it would last until that time. */
function beganNow(record: ExperimentRecord, nowMs: number): { record: ExperimentRecord } {
  const { startMs, endMs, endByDefault } = record
  const times = startMs > nowMs && {
    startMs: nowMs,
    endMs: endByDefault ? defaultEndOf(nowMs) : endMs,
  }
  return { record: { ...record, ...times, stepSinceMs: nowMs } }
}

/** One that could not start before its end, because as many others were active as may be, has failed. */
async function take(
  { register, clock }: Pick<ScheduleParts, 'register' | 'clock'>,
  record: ExperimentRecord,
  change: Change,
): Promise<ExperimentRecord> {
  try {
    return await register.steer(record.id, change)
  } catch (cause) {
    if (!isLimit(cause) || !isStart(change) || record.endMs > clock()) throw cause
    const text = `Its end came before it could start. ${(cause as ServiceError).message}`
    return register.steer(record.id, { to: 'FAILED', from: 'DRAFT', reason: { text } })
  }
}

/**
 * Starts and ends what is due by the clock, for a reader who comes before the next round. What is refused then, by the
 * store or because too many are active, stays as it is.
 */
export async function settle(
  { register, clock }: Pick<ScheduleParts, 'register' | 'clock'>,
  records: Iterable<ExperimentRecord>,
): Promise<void> {
  let isFull = false
  for (const record of [...records])
    try {
      if (isFull && isPutOff(record, clock())) continue
      let change = dueChange(record, clock())
      // Both dates may have passed.
      while (change !== undefined)
        change = dueChange(await take({ register, clock }, record, change), clock())
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      isFull ||= isLimit(cause)
    }
}

/** Too many are active. Further starts are then put off, so that none takes a transaction only to be refused. */
function isLimit(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'LIMIT_REACHED'
}

/** Whether it may start later than it should: it has not come to its end meanwhile. */
function isPutOff(record: ExperimentRecord, nowMs: number): boolean {
  return isStart(dueChange(record, nowMs)) && record.endMs > nowMs
}

function isStart(change: Change | undefined): boolean {
  return change?.to === 'ACTIVE'
}

function dueChange(record: ExperimentRecord, nowMs: number): Change | undefined {
  const { status, held, endMs, endByDefault } = record
  if (hasEnded(record)) return undefined
  if (status === 'DRAFT') {
    if (isDueToStart(record, nowMs)) return { to: 'ACTIVE', from: 'DRAFT' }
    // The end that nobody named moves with the start.
    if (held && !endByDefault && endMs <= nowMs)
      return { to: 'STOPPED', from: 'DRAFT', reason: { text: 'Its end came before its start.' } }
    return undefined
  }
  return endMs <= nowMs ? { to: 'COMPLETED', from: status } : undefined
}

/** Looks at one that is active: ends it at a breach, reports a bad ratio once, goes to the next step. */
export async function review(
  { register, counted, clock }: ScheduleParts,
  record: ExperimentRecord,
): Promise<void> {
  if (record.guardrails.length === 0 && isGrown(record) && record.ratioP !== undefined) return
  const evidence = counted(record)
  const state = monitoringOf(record, evidence, clock())
  const breach = state.guardrails.find(({ status }) => status === 'BREACHED')
  if (breach !== undefined) {
    const to = record.kind === 'test' ? 'STOPPED' : 'ROLLED_BACK'
    const text = `Variant ${breach.variantId} crossed the guardrail on ${breach.metric}.`
    await register.steer(record.id, {
      to,
      from: 'ACTIVE',
      reason: { text, figures: { ...breach } },
    })
    return
  }
  const { status, pValue } = state.srm
  if (status === 'UNHEALTHY') {
    if (record.ratioP === undefined && pValue !== null)
      await register.alter(record.id, (now) =>
        now.ratioP === undefined
          ? { record: { ...now, ratioP: pValue }, event: 'SAMPLE_RATIO_UNHEALTHY' }
          : undefined,
      )
    return
  }
  if (mayGrow(record, evidence, clock()))
    await register.alter(record.id, (now) =>
      now.status === 'ACTIVE' && now.step === record.step
        ? { record: { ...now, step: now.step + 1, stepSinceMs: clock() }, event: 'STEP' }
        : undefined,
    )
}

function isGrown({ rollout, step }: ExperimentRecord): boolean {
  return step + 1 >= rollout.steps.length
}

/** After its time at a step, with enough units seen there. */
function mayGrow(record: ExperimentRecord, { arms }: Counted, nowMs: number): boolean {
  const { rollout, stepSinceMs } = record
  if (nowMs < (stepEndMs(record) ?? Infinity)) return false
  const units = arms.reduce(
    (sum, arm) => sum + Math.min(unitsOf(arm), arm.stepSinceMs === stepSinceMs ? arm.stepUnits : 0),
    0,
  )
  return units >= rollout.minSamples
}
