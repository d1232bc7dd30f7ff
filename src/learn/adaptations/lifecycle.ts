import { openBreath } from '../../breath.ts'
import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { isRefusal } from '../../store/failure.ts'
import type { Store } from '../../store/store.ts'
import { isFoldedAnew } from '../loop/fold.ts'
import type { ExactModel } from '../plan/exact-model.ts'
import { DAY_MS } from '../wire/duration.ts'
import { openStaysAhead } from '../wire/stays-ahead.ts'
import { mustFindAdaptation } from './find.ts'
import { type InForce, refuseTooMuch, type Sent } from './in-force.ts'
import { type Breach, canJudge, judge } from './judge.ts'
import {
  activateWithin,
  beginAgainWithin,
  beginWithin,
  type Draft,
  failWithin,
  rejectWithin,
  rollBackWithin,
  type StepsParts,
  startCanaryWithin,
} from './steps.ts'
import type { Restored } from './versions.ts'
import type { Watch } from './watch.ts'

/** Brings changes into force and takes them back; whoever awaits a step sees its effect on the next search. */
export interface AdaptationLifecycle {
  /**
   * Stores a change and takes it as far as it comes at once: REJECTED, FAILED, CANARY, or ACTIVE with `immediate`.
   * `noteDone` runs in its transaction whatever comes of it. Throws ADAPTATION_CONFLICT, LIMIT_REACHED.
   */
  apply: (draft: Draft, how: Applying, noteDone?: NoteDone) => Promise<AdaptationRecord>
  /** Throws ADAPTATION_NOT_FOUND, INVALID_TRANSITION. */
  rollBack: (
    adaptationId: string,
    cause: Breach,
  ) => Promise<{ record: AdaptationRecord; restored: Restored }>
  /**
   * Takes back what breaches a trigger, and lets what has passed its canary apply to all; what can't be judged or
   * brought into force has failed. Throws the first cause of that when all have had their turn.
   */
  tend: (nowMs: number) => Promise<void>
}

/** How a change is to begin. */
interface Applying {
  immediate: boolean
  /** Runs in the same transaction, if its beginning is no refusal. */
  within: (record: AdaptationRecord) => void
}

interface LifecycleParts extends StepsParts {
  inForce: InForce
  watch: Watch
  exactModel: ExactModel
  config: {
    adaptationCanaryMs: number
    adaptationCanarySearchesMin: number
    adaptationCanaryShare: number
  }
}

/** After so many canary times a change no longer waits for searches: a small site has few. */
const CANARY_PATIENCE = 10
/** Triggers that nobody asked for are watched so long after a change became active. */
const DEFAULT_WATCH_MS = 7 * DAY_MS
/** Changes that one call of `tend` looks at; the others follow with the next ones. */
const JUDGED_MAX = 200

export function openLifecycle(parts: LifecycleParts): AdaptationLifecycle {
  const { store, inForce, watch } = parts
  const staysAhead = openStaysAhead(parts.clock)

  /** Searches see the change when the caller hears of it. */
  async function changing<T>(scope: string, work: () => T, write = store.write): Promise<T> {
    const done = await write(work)
    inForce.refresh(scope)
    watch.follow(inForce.records())
    return done
  }
  const step: Step = (record, next, write) =>
    changing(record.scope, () => ifStill(record, store, next), write)
  let judged = 0
  // Those whose transaction is not on the disk yet are not in force: the ones after them must count them.
  const underWay = new Set<Sent>()
  watch.follow(inForce.records())
  return {
    apply: async (draft, how, noteDone) => {
      refuseTooMuch([...inForce.records(), ...underWay], draft)
      underWay.add(draft)
      try {
        return await changing(draft.scope, () => {
          noteDone?.()
          return applyWithin(draft, how, parts)
        })
      } finally {
        underWay.delete(draft)
      }
    },
    rollBack: async (adaptationId, cause) => {
      const now = () => mustFindAdaptation(store, adaptationId)
      return changing(now().scope, () => rollBackWithin(now(), cause, parts), store.release)
    },
    tend: async (nowMs) => {
      const records = inForce.records()
      const turn = records.slice(judged, judged + JUDGED_MAX)
      judged = judged + JUDGED_MAX >= records.length ? 0 : judged + JUDGED_MAX
      const causes: unknown[] = []
      const breathe = openBreath()
      for (const record of turn) {
        await breathe()
        // While a step, or a pause, was awaited: what the others are judged by may be counted anew by now, and is only a part.
        if (isFoldedAnew(store)) break
        try {
          await tendOne(record, nowMs, step, { ...parts, staysAhead })
        } catch (cause) {
          // The store's refusals pass; anything else would be the same the next time.
          if (isRefusal(cause)) throw cause
          causes.push(cause)
          await step(record, (now) => failWithin(now, 'its next step could not be taken', parts))
        }
      }
      if (causes.length > 0) throw causes[0]
    },
  }
}

function applyWithin(
  draft: Draft,
  { immediate, within }: Applying,
  parts: LifecycleParts,
): AdaptationRecord {
  const record = beginWithin(draft, parts)
  if (record.validation.failed) return failWithin(record, record.validation.note, parts)
  if (!record.validation.passed) return rejectWithin(record, record.validation.note, parts)
  if (lacksModel(record, parts)) return failWithin(record, LACKS_MODEL, parts)
  within(record)
  const share = parts.config.adaptationCanaryShare
  if (!immediate) return startCanaryWithin(record, `for a share of ${share}`, parts)
  const started = startCanaryWithin(record, 'skipped as asked for', parts)
  return activateWithin(started, 'as asked for', parts)
}

const LACKS_MODEL = 'the model that it names is not there or can not rank'

function lacksModel(
  { tuning: { model } }: AdaptationRecord,
  { exactModel }: LifecycleParts,
): boolean {
  return typeof model === 'string' && exactModel(model) === undefined
}

/** Takes a step unless somebody else has taken another meanwhile. */
type Step = (
  record: AdaptationRecord,
  next: (now: AdaptationRecord) => unknown,
  write?: Store['write'],
) => Promise<unknown>

async function tendOne(
  record: AdaptationRecord,
  nowMs: number,
  step: Step,
  { staysAhead, ...parts }: LifecycleParts & { staysAhead: (timeMs: number) => boolean },
): Promise<void> {
  const breach = judge(watched(record, nowMs), parts.watch, nowMs)
  if (staysAhead(record.canaryMs ?? 0)) await step(record, (now) => beginAgainWithin(now, parts))
  else if (breach !== undefined)
    await step(record, (now) => rollBackWithin(now, breach, parts), parts.store.release)
  else if (record.status === 'CANARY' && hasPassed(record, nowMs, parts))
    await step(record, (now) => {
      if (lacksModel(now, parts)) failWithin(now, LACKS_MODEL, parts)
      else activateWithin(now, 'it passed its canary', parts)
    })
}

function hasPassed(
  record: AdaptationRecord,
  nowMs: number,
  { config, watch }: LifecycleParts,
): boolean {
  const { canaryMs, adaptationId } = record
  const forMs = nowMs - (canaryMs ?? nowMs)
  if (forMs < config.adaptationCanaryMs) return false
  if (forMs >= CANARY_PATIENCE * config.adaptationCanaryMs) return true
  if (watch.totals(adaptationId).with.searches < config.adaptationCanarySearchesMin) return false
  // A harmful one would come to all before any trigger can tell.
  return canJudge(record, watch, nowMs)
}

/** Nobody else has moved it meanwhile. */
function ifStill(
  { adaptationId, status }: AdaptationRecord,
  { tables }: Store,
  step: (record: AdaptationRecord) => unknown,
): void {
  const now = tables.adaptations.get(adaptationId)
  if (now?.status === status) step(now)
}

/** Long after a change became active only the triggers that were asked for are watched. */
function watched(record: AdaptationRecord, nowMs: number): AdaptationRecord {
  const { activeMs, triggers } = record
  if (activeMs === undefined || nowMs - activeMs <= DEFAULT_WATCH_MS) return record
  return { ...record, triggers: triggers.filter(({ byDefault }) => byDefault !== true) }
}
