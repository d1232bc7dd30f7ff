import type { MetricRow } from '../../metrics/collect.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { LearningFigures } from '../../schema/learning-figures.ts'
import type { Store } from '../../store/store.ts'
import type { Experiments } from '../experiments/experiments.ts'
import type { Events } from '../history/events.ts'
import type { Log } from '../loop/log.ts'
import type { Loop } from '../loop/loop.ts'
import type { ClickMemory } from '../memory/click-memory.ts'
import type { Models } from '../models/models.ts'
import type { Lag } from '../reports/lag.ts'
import type { Tally } from '../reports/tally.ts'
import type { Signals } from '../signals/signals.ts'
import { DAY_MS } from '../wire/duration.ts'

/** The parts of learning whose figures are shown. */
export interface FigureParts {
  store: Store
  log: Log
  loop: Pick<Loop, 'position'>
  lag: Lag
  tally: Tally
  clickMemory: Pick<ClickMemory, 'figures'>
  models: Pick<Models, 'figures'>
  signals: Pick<Signals, 'counts'>
  experiments: Pick<Experiments, 'figures'>
  adaptations: {
    figures: () => { adaptations: Record<string, number>; suggestions: Record<string, number> }
  }
  events: Pick<Events, 'counts'>
  /** Searches since the start that named a session that is unknown or over. */
  unmatchedSearches: () => number
  clock: () => number
}

/** Everything at once, as the parts say it. */
export function readLearningFigures(parts: FigureParts): LearningFigures {
  const { store, log, loop, lag, tally, clickMemory, models, signals, events, clock } = parts
  const { searches, feedback, analytics } = tally.figures()
  const { adaptations, suggestions } = parts.adaptations.figures()
  const position = loop.position()
  const last = log.journal.last()
  const upper = Object.entries(feedback).map(([status, count]) => [status.toUpperCase(), count])
  return {
    timestamp: new Date(clock()).toISOString(),
    impressions: {
      stored: store.tables.impressions.count(),
      ...log.figures(),
      learned: searches,
    },
    searches: { unmatched: parts.unmatchedSearches() },
    feedback: {
      total: Object.values(feedback).reduce((sum, count) => sum + count, 0),
      byStatus: Object.fromEntries(upper),
    },
    analytics: { total: analytics },
    signals: { byStatus: { ...signals.counts() } },
    loop: { position, last, behind: last - position, lag: lag.figures() },
    journal: { entries: store.tables.journal.count() },
    memory: clickMemory.figures(),
    models: { ...models.figures() },
    adaptations,
    suggestions,
    experiments: statusesOf(parts, 'experiment'),
    searchTests: statusesOf(parts, 'test'),
    events: { stored: store.tables.events.count(), lastDay: events.counts(clock() - DAY_MS) },
  }
}

function statusesOf(
  { experiments }: FigureParts,
  wanted: 'test' | 'experiment',
): Record<string, number> {
  const own = experiments.figures().filter(({ kind }) => kind === wanted)
  return Object.fromEntries(own.map(({ status, count }) => [status, count]))
}

/** Puts them on the metrics page. */
export function collectLearning(metrics: Pick<Metrics, 'collect'>, parts: FigureParts): void {
  const { store, log, loop, tally, clickMemory } = parts
  const by = (label: string, counts: Record<string, number>): MetricRow[] =>
    Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }))
  const one = (name: string, help: string, value: () => number): void =>
    metrics.collect(name, help, [], () => [{ value: value() }])

  metrics.collect(
    'svc_impressions_total',
    'Searches written down for learning',
    ['outcome'],
    () => {
      const { written, dropped } = log.figures()
      return by('outcome', { written, dropped })
    },
  )
  one('svc_impressions_waiting', 'Searches to be written down', () => log.figures().waiting)
  one(
    'svc_searches_unmatched_total',
    'Searches that named a session that is unknown or over',
    parts.unmatchedSearches,
  )
  metrics.collect('svc_feedback_total', 'Feedback entries taken by learning', ['outcome'], () =>
    by('outcome', { learned: 0, duplicate: 0, unmatched: 0, late: 0, ...tally.figures().feedback }),
  )
  one('svc_analytics_events_total', 'Analytics events taken', () => tally.figures().analytics)
  one('svc_journal_entries', 'Journal entries kept', () => store.tables.journal.count())
  one('svc_learning_loop_behind', 'Journal entries that learning has yet to take', () =>
    Math.max(0, log.journal.last() - loop.position()),
  )
  one('svc_learning_events', 'Events of learning kept', () => store.tables.events.count())
  one(
    'svc_click_memory_pairs',
    'Pairs of query and document that click memory keeps',
    () => clickMemory.figures().pairs,
  )
  one(
    'svc_click_memory_queries',
    'Queries that click memory knows',
    () => clickMemory.figures().queries,
  )
  one(
    'svc_click_memory_evicted_total',
    'Pairs that made room for others',
    () => clickMemory.figures().evicted,
  )
  one(
    'svc_sessions_flagged_total',
    'Sessions whose teaching was taken out again',
    () => clickMemory.figures().flagged,
  )
  metrics.collect('svc_adaptations', 'Adaptations by status', ['status'], () =>
    by('status', parts.adaptations.figures().adaptations),
  )
}
