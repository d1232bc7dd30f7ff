import { type Static, Type } from 'typebox'
import { DateTime, FreeForm, MapOf } from './common.ts'

const Figure = (description: string) => Type.Integer({ description })
const Counts = (description: string) => MapOf(Type.Integer(), { description })
const Ms = Type.Union([Type.Number(), Type.Null()], { description: 'ms; null before the first' })

/** Figures of learning as they are now. */
export const LearningFigures = Type.Object({
  timestamp: DateTime,
  impressions: Type.Object({
    stored: Figure('kept on the disk now'),
    waiting: Figure('to be written'),
    written: Figure('since the start'),
    dropped: Figure('under overload, since the start'),
    learned: Figure('taken by learning, ever'),
  }),
  searches: Type.Object({
    unmatched: Figure('named a session that is unknown or over, since the start'),
  }),
  feedback: Type.Object({
    total: Figure('entries taken by learning, ever'),
    byStatus: Counts('LEARNED, DUPLICATE, UNMATCHED, LATE'),
  }),
  analytics: Type.Object({ total: Figure('events taken, ever') }),
  signals: Type.Object({ byStatus: Counts('PENDING, PROCESSING, COMPLETED, FAILED, IGNORED') }),
  loop: Type.Object({
    position: Figure('number of the last journal entry taken'),
    last: Figure('number of the newest journal entry'),
    behind: Figure('entries that wait to be taken'),
    lag: Type.Object(
      { count: Type.Integer(), p50: Ms, p95: Ms, p99: Ms },
      { description: 'from the receipt of feedback until searches see it, since the start' },
    ),
  }),
  journal: Type.Object({ entries: Figure('kept on the disk') }),
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
    stored: Figure('kept on the disk'),
    lastDay: Counts('by type, since the beginning of yesterday (UTC)'),
  }),
})
export type LearningFigures = Static<typeof LearningFigures>
