import { type Static, Type } from 'typebox'
import { DateTime, FreeForm, MapOf } from './common.ts'

const Count = (description: string) => Type.Integer({ description })
const Counts = (description: string) => MapOf(Type.Integer(), { description })
const Ms = Type.Union([Type.Number(), Type.Null()], { description: 'ms; null before the first' })

/** Figures of learning as they are now. */
export const LearningFigures = Type.Object({
  timestamp: DateTime,
  impressions: Type.Object({
    stored: Count('kept on the disk now'),
    waiting: Count('to be written'),
    written: Count('since the start'),
    dropped: Count('under overload, since the start'),
    learned: Count('taken by learning, ever'),
  }),
  searches: Type.Object({
    unmatched: Count('named a session that is unknown or over, since the start'),
  }),
  feedback: Type.Object({
    total: Count('entries taken by learning, ever'),
    byStatus: Counts('LEARNED, DUPLICATE, UNMATCHED, LATE'),
  }),
  analytics: Type.Object({ total: Count('events taken, ever') }),
  signals: Type.Object({ byStatus: Counts('PENDING, PROCESSING, COMPLETED, FAILED, IGNORED') }),
  loop: Type.Object({
    position: Count('number of the last journal entry taken'),
    last: Count('number of the newest journal entry'),
    behind: Count('entries that wait to be taken'),
    lag: Type.Object(
      { count: Type.Integer(), p50: Ms, p95: Ms, p99: Ms },
      { description: 'from the receipt of feedback until searches see it, since the start' },
    ),
  }),
  journal: Type.Object({ entries: Count('kept on the disk') }),
  memory: Type.Object(
    {
      pairs: Type.Integer(),
      queries: Type.Integer(),
      gained: Type.Integer(),
      evicted: Type.Integer(),
      flagged: Type.Integer(),
    },
    {
      description:
        'click memory: pairs of query and document, queries, those with a gain; evicted pairs and flagged sessions since the start',
    },
  ),
  models: FreeForm,
  adaptations: Counts('by status'),
  suggestions: Counts('by status'),
  experiments: Counts('learning experiments by status'),
  searchTests: Counts('search A/B tests by status'),
  events: Type.Object({
    stored: Count('kept on the disk'),
    lastDay: Counts('by type, since the beginning of yesterday (UTC)'),
  }),
})
export type LearningFigures = Static<typeof LearningFigures>
