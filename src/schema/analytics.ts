import { type Static, Type } from 'typebox'
import {
  AnyCase,
  DateTime,
  ForeignId,
  FreeForm,
  MapOf,
  Moment,
  QueryText,
  Share,
  Unread,
} from './common.ts'

/** Objects or lists that are kept as they came. */
const Loose = Type.Union([FreeForm, Type.Array(Type.Unknown())])

const EventParts = {
  sessionId: Type.Optional(ForeignId),
  query: Type.Optional(Type.Union([QueryText, FreeForm])),
  results: Type.Optional(Loose),
  userActions: Type.Optional(Loose),
  performance: Type.Optional(Loose),
  metadata: Type.Optional(FreeForm),
  timestamp: Type.Optional(Moment),
}
const EventType = Type.String({ minLength: 1, maxLength: 128, description: 'any word' })

/** Something that happened while people searched. */
export const AnalyticsEvent = Type.Object({ ...EventParts, eventType: EventType })
export type AnalyticsEvent = Static<typeof AnalyticsEvent>

/** One event, or a list of them. */
const AnalyticsEvents = Type.Object(
  {
    ...EventParts,
    eventType: Type.Optional(EventType),
    events: Type.Optional(
      Type.Array(AnalyticsEvent, {
        minItems: 1,
        maxItems: 1000,
        description: 'many events at once, instead of one; stored together or not at all',
      }),
    ),
  },
  { anyOf: [{ required: ['events'] }, { required: ['eventType'] }] },
)

/** What a body may be: the list may stand by itself, too. */
export const AnalyticsBody = Type.Union([
  AnalyticsEvents,
  Type.Array(AnalyticsEvent, {
    minItems: 1,
    maxItems: 1000,
    description: 'many events at once, like {events: […]}',
  }),
])
export type AnalyticsBody = Static<typeof AnalyticsBody>

/** Answer about one event. */
export const AnalyticsReceipt = Type.Object({
  eventId: Type.String(),
  processed: Type.Boolean({ description: 'durably stored' }),
  unmatched: Type.Boolean({ description: 'true when it names no session that is known and alive' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'names that are no field of an event, and were ignored, and a timestamp in seconds; of the first eight events of a list',
    }),
  ),
  metrics: Type.Object(
    {
      searches: Type.Integer(),
      clicks: Type.Integer(),
      feedback: Type.Integer(),
      events: Type.Integer(),
    },
    {
      description:
        'what the session did so far, this event included; of an unmatched event, with what this session has told since it was over: kept nowhere',
    },
  ),
})
export type AnalyticsReceipt = Static<typeof AnalyticsReceipt>

/** Answer about a list of events, in their order. */
export const AnalyticsReceipts = Type.Object({
  processed: Type.Boolean(),
  total: Type.Integer(),
  unmatched: Type.Integer(),
  events: Type.Array(AnalyticsReceipt),
})
export type AnalyticsReceipts = Static<typeof AnalyticsReceipts>

export const ReportQuery = Type.Object({
  timeWindow: Type.Optional(
    AnyCase(['1h', '24h', '7d', '30d'], {
      default: '24h',
      description:
        '1h, 24h, 7d or 30d back from now, and what the hour in which that falls had before: 1h at 16:51 is from 15:00 on',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'queries of each list' }),
  ),
})
export type ReportQuery = Static<typeof ReportQuery>

const Rate = (description: string) => Type.Union([Share, Type.Null()], { description })
const Took = Type.Union([Type.Number(), Type.Null()])

/** Words about searches that mean the same wherever they stand. */
const Searched = {
  searches: Type.Integer({ description: 'searches; further pages of a list (from > 0) are none' }),
  clickable: Type.Integer({
    description: 'of these, those of a live session: of others nobody knows who saw them',
  }),
  clicks: Type.Integer({
    description:
      'searches with a click, on whichever page of their lists, also those without a live session; a page whose list is no longer known counts by itself',
  }),
  ctr: Rate('share of the clickable with a click; null without any'),
}
const Figures = {
  ...Searched,
  mrr: Rate(
    'mean of 1 / best clicked position, up to the tenth, over the clickable; 0 for one without such a click',
  ),
  zeroResultRate: Rate('share of the searches that found nothing'),
}
const Query = Type.Object({
  query: Type.String(),
  queryHash: Type.String(),
  ...Searched,
})
const Counts = MapOf(Type.Integer())

const DISTINCT = 'exact up to 256, beyond with a standard error of 2.3 %'

/** What people did in a window of time, in whole hours (UTC). */
export const AnalyticsReport = Type.Object({
  timeWindow: Type.String(),
  from: Type.String({
    format: 'date-time',
    description: 'beginning of the first hour that is counted, which is counted whole',
  }),
  to: Type.String({ format: 'date-time', description: 'now' }),
  ...Figures,
  sessions: Type.Integer({ description: `different live sessions that searched; ${DISTINCT}` }),
  units: Type.Integer({
    description: `different users of these, or sessions without a user; ${DISTINCT}`,
  }),
  latency: Type.Object(
    { p50: Took, p95: Took, p99: Took, avg: Took },
    { description: 'ms; quantiles within 2 %; null without searches' },
  ),
  topQueries: Type.Array(Query, {
    description: 'the most frequent; exact up to 200 different queries an hour',
  }),
  zeroResultQueries: Type.Array(Query),
  bySearchType: MapOf(Type.Object({ ...Figures, averageMs: Took })),
  byHour: Type.Array(Type.Object({ hour: DateTime, ...Figures, averageMs: Took }), {
    description: 'hours in which something happened, the oldest first',
  }),
  feedback: Type.Object({ total: Type.Integer(), byStatus: Counts }),
  events: Type.Object({ total: Type.Integer(), byType: Counts }),
  ...Unread,
})
export type AnalyticsReport = Static<typeof AnalyticsReport>
