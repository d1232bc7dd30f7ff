import type { AnalyticsReport, ReportQuery } from '../schema/analytics.ts'
import type { LearningFigures } from '../schema/learning-figures.ts'
import type { ListPlace } from '../schema/plan.ts'
import type { SearchRequest } from '../schema/search.ts'
import type { Adaptations } from './adaptations/adaptations.ts'
import type { Experiments } from './experiments/experiments.ts'
import type { FeedbackIntake } from './feedback/feedback.ts'
import type { LearningHealth } from './health/health.ts'
import { type Oversight, openOversight } from './health/oversight.ts'
import type { Events } from './history/events.ts'
import { openAllowance } from './impressions/allowance.ts'
import type { ImpressionParts } from './impressions/impression.ts'
import { openSearches, type Searches } from './impressions/searches.ts'
import { type LearningOptions, openLearners } from './learners.ts'
import type { FailureReports } from './loop/failures.ts'
import { isFoldedAnew } from './loop/fold.ts'
import { openLoop } from './loop/loop.ts'
import { caughtUpSoon, whenTaken, whenWhole } from './loop/whole.ts'
import type { ClickMemory } from './memory/click-memory.ts'
import type { MetricRecords } from './metrics/metric-records.ts'
import type { Models } from './models/models.ts'
import type { Patterns } from './patterns/patterns.ts'
import { openPages } from './plan/pages.ts'
import { type LearnedPlan, makePlan, type PlanParts } from './plan/plan.ts'
import { openLayers } from './plan/tuning-layers.ts'
import type { Analytics } from './reports/analytics.ts'
import { openRound, type Sweep } from './round.ts'
import type { Signals } from './signals/signals.ts'
import { openSubjects, type Subjects } from './subjects/subjects.ts'

/** The learning side of the service: one loop, folded from one log. */
export interface Learning {
  events: Events
  feedback: FeedbackIntake
  clickMemory: ClickMemory
  signals: Signals
  subjects: Subjects
  analytics: Analytics
  metricRecords: MetricRecords
  /** Figures of a window of time, as far as learning has come. */
  report: (query: ReportQuery) => Promise<AnalyticsReport>
  /** Figures of learning as they are now. */
  figures: () => LearningFigures
  health: LearningHealth
  searches: Searches
  models: Models
  experiments: Experiments
  adaptations: Adaptations
  patterns: Patterns
  /** What applies to a search besides its own words. */
  plan: (search: SearchRequest, queryHash: string, place: ListPlace) => LearnedPlan
  /**
   * Takes what a search showed (see impressions/impression.ts), unless its session was forgotten meanwhile; never waits.
   */
  show: (queryId: string, parts: ImpressionParts, sessionId: string | undefined) => void
  /**
   * Resolves when everything that happened before is learned: readers see their own writes. Waits while it is learned anew,
   * too. Throws TIMED_OUT; see loop/whole.ts.
   */
  caughtUp: () => Promise<void>
  /** The same, for whoever decides by what is learned, and is told that nothing was changed. */
  whole: () => Promise<void>
  /** Like `caughtUp`, but nobody waits while all is learned anew: for what is not, or waits by itself. */
  caughtUpUnlessAnew: () => Promise<void>
  /** Like `caughtUp`, but resolves soon in any case: for whoever takes something back. */
  caughtUpSoon: () => Promise<void>
  /** Makes ready, for the indices that are open by now, what the first search is to read; waits some seconds at most. */
  begin: () => Promise<void>
  /** Lets time pass: start and end dates, triggers, expiry. */
  tick: () => Promise<void>
  close: () => Promise<void>
}

type Learners = ReturnType<typeof openLearners>

export function openLearning(options: LearningOptions): Learning {
  const { store, config, clock, sessions, metrics, logger } = options
  const learners = openLearners(options, () => loop.position())
  const { log, events, signals, reporting, consumers } = learners
  const shared = { store, config, clock, log, events }
  const reports = reportsOf(options)
  const { onLag } = reporting
  const { dead } = signals
  const { lull } = options.pool
  const loop = openLoop({ store, log, consumers, clock, lull, dead, onLag, ...reports })
  const { feedback, experiments, adaptations, models } = learners
  const plans = openPlans(options, learners)
  const oversight = openOversight({
    ...shared,
    ...learners,
    loop,
    metrics,
    logger,
    unmatchedSearches: plans.unmatched,
    swept: sweptOf(options, learners),
    onSweepFailure: (err, part) => logger.error({ err, part }, 'learning: a sweep failed'),
    onSweepEnd: (part) => logger.info({ part }, 'learning: a sweep that failed goes on'),
  })
  return {
    events,
    feedback,
    clickMemory: learners.clickMemory,
    signals,
    subjects: openSubjects({
      ...shared,
      loop,
      sessions,
      ...reports,
      forgetUnit: experiments.forget,
      forgetTold: reporting.analytics.forget,
      withdraw: adaptations.withdraw,
    }),
    analytics: reporting.analytics,
    metricRecords: reporting.metricRecords,
    report: reporting.report,
    figures: oversight.figures,
    health: oversight.health,
    models,
    experiments,
    adaptations,
    patterns: learners.patterns,
    searches: openSearches({ log, ...options.engine }),
    plan: plans.plan,
    show: (queryId, parts, sessionId) => {
      if (sessionId === undefined || !sessions.isForgotten(sessionId)) log.show(queryId, parts)
    },
    caughtUp: () => whenWhole({ store, config, ...loop }, 'read'),
    caughtUpUnlessAnew: () => whenTaken({ store, config, ...loop }),
    whole: () => whenWhole({ store, config, ...loop }, 'decide'),
    caughtUpSoon: () => caughtUpSoon(loop),
    begin: learners.clickRates.begin,
    tick: tickOf(options, learners, oversight),
    close: async () => {
      await log.close()
      await loop.close()
      await learners.clickRates.close()
      await models.close()
      learners.loggedEvents.tick()
    },
  }
}

/** What the log tells of learning that fails. */
function reportsOf({ logger }: LearningOptions): FailureReports {
  return {
    onFailure: (err) => logger.error({ err }, 'learning stopped for a moment'),
    onEnd: () => logger.info({}, 'learning that stopped for a moment goes on'),
  }
}

/** Parts that remove what is past its time themselves. */
function sweptOf(options: LearningOptions, learners: Learners): Record<string, { sweep: Sweep }> {
  const { events, experiments, feedback, signals, models, clickMemory } = learners
  const patterns = { sweep: (nowMs: number) => sweepPatterns(options, learners, nowMs) }
  return { events, experiments, feedback, signals, models, patterns, memory: clickMemory }
}

/** What is folded anew meets old searches again, and needs what went before each. */
async function sweepPatterns(
  { store, config }: LearningOptions,
  { patterns }: Learners,
  nowMs: number,
): Promise<number> {
  return isFoldedAnew(store) ? 0 : patterns.sweep(nowMs - config.retentionMs)
}

/** Plans of searches; `unmatched` of them since the start named a session that is unknown or over. */
function openPlans(
  { config, clock, sessions }: LearningOptions,
  { log, clickMemory, clickRates, models, experiments, adaptations }: Learners,
): { plan: Learning['plan']; unmatched: () => number } {
  const anonymous = openAllowance(config.anonymousImpressionsMax, clock)
  const parts: PlanParts = {
    glimpse: sessions.peek,
    variants: experiments.variants,
    adaptations: adaptations.applying,
    added: clickMemory.added,
    isClicked: clickMemory.isClicked,
    clickRates,
    servedModel: models.servedModel,
    shadowModel: models.shadowModel,
    namedModel: models.namedModel,
    settings: config,
    mayRecord: () => {
      const may = anonymous.take()
      if (!may) log.drop()
      return may
    },
    lay: openLayers(),
    seed: () => Math.floor(Math.random() * 2 ** 32),
    clock,
  }
  const planOf = openPages(
    (search, queryHash) => makePlan(search, queryHash, parts),
    models.stillServed,
  )
  let unmatched = 0
  return {
    plan: (search, queryHash, place) => {
      const plan = planOf(search, queryHash, place)
      if (plan.sessionId !== undefined && plan.unit === undefined) unmatched += 1
      return plan
    },
    unmatched: () => unmatched,
  }
}

/**
 * Retention comes last and needs none of the others: it is what makes room when the store is full. Gates and triggers
 * wait while what they decide by is folded anew: they would see a part of it.
 */
function tickOf(
  { store, clock, sessions, logger }: LearningOptions,
  { clickRates, models, experiments, adaptations, loggedEvents }: Learners,
  oversight: Oversight,
): () => Promise<void> {
  const ifWhole = (tick: () => Promise<void>) => () => (isFoldedAnew(store) ? undefined : tick())
  return openRound(
    {
      clickRates: () => clickRates.tick(),
      totals: () => sessions.totals.flush(),
      models: ifWhole(() => models.tick()),
      experiments: () => experiments.tick(),
      adaptations: ifWhole(() => adaptations.tick(clock())),
      log: () => loggedEvents.tick(),
      retention: () => oversight.tick(clock()),
    },
    (err, part) => logger.error({ err, part }, 'learning: a part failed; it is tried again'),
    (part) => logger.info({ part }, 'learning: a part that failed goes on'),
  )
}
