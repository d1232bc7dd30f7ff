import type { Store } from '../../src/store/store.ts'

type TableName = keyof Store['tables']

/**
 * Of every table whether its rows are a fold over the journal and nothing else: a fresh fold gives the same ones after a
 * crash, and after somebody was forgotten while the log was whole.
 */
const IS_FOLDED: Readonly<Record<TableName, boolean>> = {
  modelUsage: true,
  judgements: true,
  clickedSearches: true,
  queryPatterns: true,
  reformulations: true,
  lastSearches: true,
  feedbackPatterns: true,
  clickMemory: true,
  attributions: true,
  flaggedSessions: true,
  experimentUnits: true,
  experimentSearches: true,
  examinations: true,
  hourReports: true,
  reportedClicks: true,
  // Also what the time, settings or requests decide; counts of a change begin when it does.
  meta: false,
  indices: false,
  documents: false,
  records: false,
  removals: false,
  superseded: false,
  earlierOrds: false,
  vectors: false,
  unvectorized: false,
  sessions: false,
  sessionTotals: false,
  journal: false,
  events: false,
  impressions: false,
  models: false,
  modelVersions: false,
  modelStates: false,
  trialUnits: false,
  adaptations: false,
  rankingVersions: false,
  rankingScopes: false,
  adaptationFigures: false,
  adaptationUnits: false,
  adaptationRules: false,
  suggestions: false,
  suggestionKeys: false,
  feedbackSeen: false,
  signals: false,
  signalOrder: false,
  deadSignals: false,
  experiments: false,
  experimentNames: false,
  experimentArms: false,
  experimentReported: false,
  experimentObserved: false,
  eventDays: false,
  metricSeries: false,
  idempotency: false,
  idempotencyExpiry: false,
}

export const FOLDED = (Object.keys(IS_FOLDED) as TableName[]).filter((name) => IS_FOLDED[name])

/** Counts since the store was made, which go on counting what was done by those who are forgotten. */
const COUNTED_FOR_GOOD = ['tally', 'signalsTaken']

/** How rows of `meta` begin that are: places in the journal, counts, and the clicks that are held apart. */
export const FOLDED_META = [
  'learned',
  'newest hour of ',
  'modelClicks',
  'examination in use',
  ...COUNTED_FOR_GOOD,
]

/** As `difference` of refold.ts names them. */
export function isCountedForGood(row: string): boolean {
  return COUNTED_FOR_GOOD.some((name) => row.startsWith(`meta ${name}`))
}
