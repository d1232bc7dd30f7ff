import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Store } from '../store/store.ts'
import type { Pool } from '../threads/pool.ts'
import { openAdaptations } from './adaptations/adaptations.ts'
import { openExperiments } from './experiments/experiments.ts'
import type { Consumer } from './facts.ts'
import { openFeedback } from './feedback/feedback.ts'
import { openGains } from './feedback/gains.ts'
import { openEvents } from './history/events.ts'
import { type EventsLogger, openLoggedEvents } from './history/logged-events.ts'
import type { SearchesOptions } from './impressions/searches.ts'
import { type Log, openLog } from './loop/log.ts'
import { type ClickMemory, openClickMemory } from './memory/click-memory.ts'
import { type ClickRatesParts, openClickRates } from './memory/click-rates.ts'
import { openExamination } from './memory/examination.ts'
import { openModels } from './models/models.ts'
import type { LiveIndex } from './patterns/evidence.ts'
import { openPatterns } from './patterns/patterns.ts'
import type { IsSearched } from './plan/unsearched-weights.ts'
import { openReporting } from './reports/reporting.ts'
import type { Sessions } from './sessions/sessions.ts'
import { openModelSignals } from './signals/model-signals.ts'
import { openSignals } from './signals/signals.ts'

export interface LearningOptions {
  store: Store
  config: Config
  clock: () => number
  sessions: Sessions
  metrics: Metrics
  pool: Pool
  logger: LearningLogger
  /** What the search side tells learning. */
  engine: Omit<SearchesOptions, 'log'> &
    Pick<ClickRatesParts, 'opened'> & { liveIndex: LiveIndex; isSearched: IsSearched }
}

export interface LearningLogger extends EventsLogger {
  error: (fields: object, message: string) => void
}

/** The history of learning, and who hears of each event. */
function openHistory({ store, config, clock, logger }: LearningOptions, log: Log) {
  const modelSignals = openModelSignals(store, log)
  const loggedEvents = openLoggedEvents(store, logger)
  const events = openEvents(store, clock, config, (event, sequence) => {
    modelSignals.noteWithin(event, sequence)
    loggedEvents.noteWithin(event, sequence)
  })
  return { events, modelSignals, loggedEvents }
}

/** Everything that learns, before the processor that feeds it. `position` tells how far that has come. */
export function openLearners(options: LearningOptions, position: () => number) {
  const { store, config, clock, sessions, metrics, pool, logger } = options
  const { opened, isSearched, featureNames, liveIndex } = options.engine
  const shared = { store, config, clock }
  const log = openLog(store, config.impressionQueueMax, clock)
  const { events, modelSignals, loggedEvents } = openHistory(options, log)
  const gains = openGains(config.gains)
  const isFlagged = (sessionId: string) => clickMemory.isFlagged(sessionId)
  const examination = openExamination(store, config.examinationEta, isFlagged)
  const chances = examination.inUse
  const clickMemory: ClickMemory = openClickMemory({ ...shared, events, gains, chances })
  const clickRates = openClickRates({
    ...{ ...shared, chances, pool, opened },
    memory: clickMemory,
    onFailure: (err) => logger.error({ err }, 'click rates could not be counted'),
  })
  const addTotalsWithin = sessions.totals.addWithin
  const { lull } = pool
  const feedback = openFeedback({ ...shared, log, events, sessions, gains, addTotalsWithin, lull })
  const models = openModels({ ...shared, pool, events, logger, gainOf: gains.of, chances })
  const { exactModel, loadModel } = models
  const rankable = { exactModel, loadModel, isSearched }
  const experiments = openExperiments({ ...shared, ...rankable, events, sessions, metrics })
  const patterns = openPatterns(store, clock, liveIndex)
  const adaptations = openAdaptations({
    ...shared,
    ...rankable,
    events,
    patterns,
    find: log.find,
    chances,
    featureNames,
    liveIndex,
  })
  const counted = { ...shared, log, sessions, metrics, examination, featureNames }
  const reporting = openReporting(counted)
  const intakes = [feedback, reporting.analytics, modelSignals]
  const signals = openSignals({ ...shared, log, events, intakes, position, metrics })
  const consumers: Consumer[] = [
    signals.consumer,
    // Before the examination, which asks it who is flagged.
    clickMemory,
    ...reporting.consumers,
    models.consumer,
    experiments.consumer,
    ...patterns.consumers,
    adaptations.consumer,
  ]
  return {
    log,
    events,
    loggedEvents,
    gains,
    feedback,
    clickMemory,
    models,
    experiments,
    patterns,
    adaptations,
    signals,
    reporting,
    consumers,
    clickRates,
  }
}
