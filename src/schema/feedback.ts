import { Type } from 'typebox'
import { ForeignId, FreeForm, Id, Moment } from './common.ts'

const Viewport = Type.Object({
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
})

const CustomMetadata = Type.Object(
  {
    searchType: Type.Optional(Type.String()),
    position: Type.Optional(Type.Number({ minimum: 1 })),
    timeToClick: Type.Optional(Type.Number()),
    deviceType: Type.Optional(Type.String()),
    viewport: Type.Optional(Viewport),
    scrollDepth: Type.Optional(Type.Number()),
    dwellTime: Type.Optional(Type.Number()),
    category: Type.Optional(Type.String()),
    language: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

const EntryMetadata = Type.Object(
  {
    userAction: Type.Optional(Type.String({ maxLength: 128 })),
    timestamp: Type.Optional(Moment),
    resultId: Type.Optional(Type.String({ maxLength: 512 })),
    queryHash: Type.Optional(ForeignId),
    engagementType: Type.Optional(Type.String({ maxLength: 128 })),
    customMetadata: Type.Optional(CustomMetadata),
  },
  { additionalProperties: true },
)

const FeedbackEntry = Type.Object({
  queryId: Id,
  rating: Type.Number({
    minimum: 0,
    maximum: 5,
    description: '0..1; above 1 it is read as stars and divided by 5',
  }),
  metadata: Type.Optional(EntryMetadata),
})

export const Feedback = Type.Object({
  sessionId: Id,
  feedback: Type.Array(FeedbackEntry, { minItems: 1, maxItems: 1000 }),
})

export const FeedbackQuery = Type.Object({
  timeframe: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
})

/** Objects or lists that are kept as they came. */
const Loose = Type.Union([FreeForm, Type.Array(Type.Unknown())])

export const AnalyticsEvent = Type.Object({
  sessionId: Type.Optional(ForeignId),
  eventType: Type.String({ minLength: 1, maxLength: 128 }),
  query: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), FreeForm])),
  results: Type.Optional(Loose),
  userActions: Type.Optional(Loose),
  performance: Type.Optional(Loose),
})

export const ReportQuery = Type.Object({
  timeWindow: Type.Optional(
    Type.String({ pattern: '^(1h|24h|7d|30d)$', description: '1h, 24h, 7d or 30d' }),
  ),
})

export const MetricRecord = Type.Object({
  name: Type.String({ pattern: '^[a-zA-Z_:][a-zA-Z0-9_:]*$', maxLength: 128 }),
  value: Type.Number(),
  type: Type.Optional(Type.String({ description: 'counter, gauge (default), histogram, summary' })),
  labels: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 256 }), { maxProperties: 16 }),
  ),
  service: Type.Optional(Type.String({ maxLength: 128 })),
  environment: Type.Optional(Type.String({ maxLength: 128 })),
  instance: Type.Optional(Type.String({ maxLength: 128 })),
})
