import { expect, onTestFinished, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { newId } from '../../src/ids.ts'
import type { Consumer, Impression } from '../../src/learn/facts.ts'
import { type FeedbackIntake, openFeedback } from '../../src/learn/feedback/feedback.ts'
import { openGains } from '../../src/learn/feedback/gains.ts'
import { openEvents } from '../../src/learn/history/events.ts'
import { type Log, openLog } from '../../src/learn/loop/log.ts'
import { type Loop, openLoop } from '../../src/learn/loop/loop.ts'
import { type ClickMemory, openClickMemory } from '../../src/learn/memory/click-memory.ts'
import { openSessions, type Sessions } from '../../src/learn/sessions/sessions.ts'
import { openDeadSignals } from '../../src/learn/signals/dead-signals.ts'
import type { PlaceChances } from '../../src/learn/statistics/place-chances.ts'
import type { AddedScores } from '../../src/schema/plan.ts'
import type { Variables } from '../../src/settings.ts'
import type { Store } from '../../src/store/store.ts'
import { impressionOf, partsOf, showing } from './impressions/parts.ts'

const { now } = performance
let ranOnMs = 0

/** The process runs on for so long, until the test is over, whatever its clock shows. */
export function runOn(ms: number): void {
  ranOnMs += ms
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + ranOnMs)
  onTestFinished(() => {
    ranOnMs = 0
  })
}

export const START_MS = Date.UTC(2026, 4, 10, 12)
export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** The learning line over one store: sessions, log, feedback, loop, click memory, a clock to turn, and how people look to set. */
export interface Learner {
  store: Store
  clock: { nowMs: number }
  /** How people are taken to look at positions. */
  people: { chances: PlaceChances }
  log: Log
  loop: Loop
  sessions: Sessions
  feedback: FeedbackIntake
  memory: ClickMemory
  /** Starts a session now. */
  session: (userId?: string) => Promise<string>
  /**
   * A search that showed these documents of index 1, in this order; returns its query id. `rows` are features, as
   * many for each document as the impression says.
   */
  search: (
    sessionId: string | undefined,
    documents: string[],
    more?: Partial<Impression>,
    rows?: Float32Array,
  ) => string
  /** One entry of feedback, received now. */
  tell: (
    sessionId: string,
    queryId: string,
    resultId: string | undefined,
    metadata?: Record<string, unknown>,
    rating?: number,
  ) => ReturnType<FeedbackIntake['submit']>
  /** Added scores of a query by document, when all is learned. */
  added: (queryHash?: string) => Promise<Record<string, number>>
  close: () => Promise<void>
}

export const QUERY_HASH = '0123456789abcdef'

export function openLearner(
  store: Store,
  settings: Variables = {},
  more: (parts: { store: Store; clock: () => number }) => Consumer[] = () => [],
  onFailure: (cause: unknown) => void = () => {},
  onEnd: () => void = () => {},
): Learner {
  const config = readConfig(settings)
  const clock = { nowMs: START_MS }
  const people: { chances: PlaceChances } = { chances: { eta: 1 } }
  const now = () => clock.nowMs
  const lull = async () => undefined
  const log = openLog(store, 20_000, now)
  const events = openEvents(store, now, config)
  const sessions = openSessions({ store, config, clock: now })
  const gains = openGains(config.gains)
  const memory = openClickMemory({
    store,
    events,
    gains,
    config,
    chances: () => people.chances,
    clock: now,
  })
  const addTotalsWithin = sessions.totals.addWithin
  const feedback = openFeedback({
    ...{ store, log, events, sessions, gains, config, clock: now, addTotalsWithin },
    lull,
  })
  const loop = openLoop({
    lull,
    store,
    log,
    consumers: [memory, ...more({ store, clock: now })],
    clock: now,
    dead: openDeadSignals({ store, events, config, clock: now }),
    onLag: () => {},
    onFailure,
    onEnd,
  })
  return {
    ...{ store, clock, people, log, loop, sessions, feedback, memory },
    session: async (userId) =>
      (await sessions.create(userId === undefined ? {} : { userId })).sessionId,
    search: (sessionId, documents, changes = {}, rows = new Float32Array()) => {
      const session = sessionId === undefined ? undefined : sessions.peek(sessionId)
      const unit = session?.active ? (session.userId ?? session.sessionId) : undefined
      const impression = { ...shown(documents, clock.nowMs), ...changes }
      if (sessionId !== undefined) impression.sessionId = sessionId
      if (unit !== undefined) impression.unit = unit
      log.show(impression.queryId, partsOf(impression, rows))
      return impression.queryId
    },
    tell: (sessionId, queryId, resultId, metadata = { userAction: 'click' }, rating = 1) =>
      feedback.submit({
        sessionId,
        feedback: [
          {
            queryId,
            rating,
            metadata: resultId === undefined ? metadata : { resultId, ...metadata },
          },
        ],
      }),
    added: async (queryHash = QUERY_HASH) => {
      await loop.caughtUp()
      return byId(memory.added(queryHash))
    },
    close: async () => {
      await log.close()
      await loop.close()
      await sessions.close()
    },
  }
}

/** What is added to each document, by its id: all are of index 1. */
export function byId({ documents, values, count }: AddedScores): Record<string, number> {
  const names: string[] = JSON.parse(`[${documents}]`)
  const bytes = Buffer.from(values, 'base64')
  expect([names.length, bytes.length / 8]).toEqual([count, count])
  return Object.fromEntries(
    names.map((name, at) => [name.replace('1/', ''), bytes.readDoubleLE(8 * at)]),
  )
}

function shown(documents: string[], timeMs: number): Impression {
  return impressionOf({
    ...{ queryId: newId(timeMs), queryHash: QUERY_HASH, query: 'one' },
    ...{ timeMs, total: documents.length },
    ...showing(documents.map((id, at) => ({ indexId: 1, id, score: 1 - at / 100 }))),
  })
}

/** Every row of the tables of learned state, as bytes would tell them apart. */
export function learnedRows({ tables }: Store): string {
  return JSON.stringify([
    [...tables.clickMemory.range()],
    [...tables.attributions.range()],
    [...tables.flaggedSessions.range()],
  ])
}
