import { type Static, Type } from 'typebox'
import { Count, DateTime, ForeignId, Id, MapOf, Moment, OneOf, Share, Unread } from './common.ts'
import { DOCUMENT_ID_BYTES_MAX } from './document-id.ts'
import { PAGE_ROWS } from './page-rows.ts'

/** From here on further data of an entry counts as long, and lists leave it out. */
const LONG_CHARACTERS = 4000

const Viewport = Type.Object({
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
})

const CustomMetadata = Type.Object(
  {
    searchType: Type.Optional(Type.String()),
    position: Type.Optional(Type.Integer({ minimum: 1, description: 'the first hit is 1' })),
    timeToClick: Type.Optional(Type.Number()),
    deviceType: Type.Optional(Type.String()),
    viewport: Type.Optional(Viewport),
    scrollDepth: Type.Optional(Type.Number()),
    dwellTime: Type.Optional(
      Type.Number({ minimum: 0, description: 'milliseconds spent on the result' }),
    ),
    viewed: Type.Optional(
      Type.Boolean({
        description: 'false: the result was never in sight, and counts as not shown',
      }),
    ),
    category: Type.Optional(Type.String()),
    language: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

/** How it was done, and to which result. */
export const FeedbackMetadata = Type.Object(
  {
    userAction: Type.Optional(Type.String({ maxLength: 128 })),
    timestamp: Type.Optional(Moment),
    resultId: Type.Optional(Type.String({ maxLength: DOCUMENT_ID_BYTES_MAX })),
    queryHash: Type.Optional(ForeignId),
    engagementType: Type.Optional(Type.String({ maxLength: 128 })),
    customMetadata: Type.Optional(CustomMetadata),
  },
  { additionalProperties: true },
)

/** One thing that somebody did with a result. */
export const FeedbackItem = Type.Object({
  queryId: Id,
  rating: Type.Number({
    minimum: 0,
    maximum: 5,
    description:
      '0..1; above 1 it is read as stars and divided by 5. 1 is the best of 0..1: one star of five is 0.2',
  }),
  metadata: Type.Optional(FeedbackMetadata),
})

export const Feedback = Type.Object({
  sessionId: Id,
  feedback: Type.Array(FeedbackItem, { minItems: 1, maxItems: 1000 }),
})
export type Feedback = Static<typeof Feedback>

/** Answer to a feedback request. */
export const FeedbackReceipt = Type.Object({
  feedbackId: Type.String(),
  processed: Type.Boolean({ description: 'durably stored, and its signals queued' }),
  timestamp: DateTime,
  accepted: Count('entries stored: all that were sent'),
  duplicate: Count('of these, told before within 30 minutes: counted once'),
  unmatched: Count('of these, of an unknown or expired session or an unknown query: not learned'),
  late: Count('of these, older than 30 days: not learned'),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'what was taken, and teaches nothing as it was sent: why it is unmatched, which hit is missing, what is not read; and a 1 among stars',
    }),
  ),
})
export type FeedbackReceipt = Static<typeof FeedbackReceipt>

export const FeedbackQuery = Type.Object({
  timeframe: Type.Optional(
    Type.String({
      maxLength: 64,
      examples: ['30m', '24h', '7d', 'PT30M'],
      description:
        'minutes, hours or days back: 30m, 1h, 24h, 7d, 30d (default), or in ISO 8601: PT30M, P7D',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `default ${PAGE_ROWS}` }),
  ),
  sessionId: Type.Optional(Id),
  queryId: Type.Optional(Id),
})
export type FeedbackQuery = Static<typeof FeedbackQuery>

/** One entry as it was understood. */
export const FeedbackRow = Type.Object({
  feedbackId: Type.String(),
  signalId: Type.String(),
  sessionId: Type.String(),
  queryId: Type.String(),
  resultId: Type.Optional(Type.String()),
  action: Type.String(),
  rating: Share,
  status: OneOf(['LEARNED', 'DUPLICATE', 'UNMATCHED', 'LATE']),
  timestamp: DateTime,
  received: DateTime,
  metadata: Type.Optional(
    Type.Object(FeedbackMetadata.properties, {
      additionalProperties: true,
      description: `as it was sent, its time apart; of more than some ${LONG_CHARACTERS} characters of further data these are left out`,
    }),
  ),
})
export type FeedbackRow = Static<typeof FeedbackRow>

export const FeedbackPage = Type.Object({
  feedback: Type.Array(FeedbackRow),
  limit: Type.Integer(),
  summary: Type.Object({
    total: Count('entries within the time, whatever the limit, duplicates left out'),
    duplicates: Count('entries beside these that were told before within 30 minutes'),
    byAction: MapOf(Type.Integer(), {
      description:
        'the entries of total by what was done; beyond the 64 most frequent actions they are counted as other',
    }),
    averageRating: Type.Union([Share, Type.Null()], {
      description: 'over the entries of total; null when there is none',
    }),
    complete: Type.Boolean({ description: 'false: there was too much to look at all of it' }),
  }),
  ...Unread,
})
export type FeedbackPage = Static<typeof FeedbackPage>
