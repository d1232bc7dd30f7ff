import { type Static, Type } from 'typebox'
import { Unread, Word } from './common.ts'

const Rate = Type.Union([Type.Number(), Type.Null()], {
  description: 'null while there is nothing to measure it by',
})
const WindowWord = Type.Optional(
  Word(['1h', '24h', '7d', '30d'], {
    description:
      '1h, 24h (default), 7d or 30d back from now; the first hour is counted whole, for 7d and 30d the first day (UTC)',
  }),
)

export const PatternQuery = Type.Object({
  window: WindowWord,
  timeWindow: WindowWord,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})
export type PatternQuery = Static<typeof PatternQuery>

const Query = Type.Object({
  queryHash: Type.String(),
  query: Type.String(),
  searches: Type.Integer({ description: 'searches; further pages of a list (from > 0) are none' }),
  clickable: Type.Integer({
    description: 'of these, those of a live session: of others nobody knows who saw them',
  }),
  clicked: Type.Integer({
    description:
      'searches with a click, on whichever page of their lists, also those without a live session; a page whose list is no longer known counts by itself',
  }),
  ctr: Type.Union([Type.Number(), Type.Null()], {
    description: 'share of the clickable with a click; null without any',
  }),
  zeroResults: Type.Integer(),
  clickPosition: Type.Union([Type.Number(), Type.Null()], {
    description: 'mean position of their first clicks that named a hit; null without any',
  }),
  documents: Type.Array(
    Type.Object({
      id: Type.String(),
      index: Type.Optional(Type.String({ description: 'absent once it is deleted' })),
      clicks: Type.Integer({
        description: 'searches whose first click that named a hit was on it',
      }),
      position: Type.Number({ description: 'the mean of where these were' }),
    }),
  ),
})

const Reformulation = Type.Object({
  from: Type.String({ description: 'hash of the first query' }),
  fromQuery: Type.String(),
  to: Type.String(),
  toQuery: Type.String(),
  count: Type.Integer(),
  fromNothing: Type.Integer({ description: 'the first found nothing' }),
  clicked: Type.Integer({ description: 'the second was clicked' }),
})

/** What searchers do, query by query. */
export const SearchPatterns = Type.Object({
  window: Type.String(),
  queries: Type.Integer({ description: 'queries counted; of each hour and day the most frequent' }),
  searches: Type.Integer({ description: 'searches of these; further pages are none' }),
  topQueries: Type.Array(Query),
  zeroResultQueries: Type.Array(Query),
  clicksFarDown: Type.Array(Query, {
    description: 'first clicks behind position 3 on average, of at least 5 searches',
  }),
  reformulations: Type.Array(Reformulation, {
    description: 'the next query of a session within 5 minutes, after one without a click',
  }),
  limit: Type.Integer(),
  ...Unread,
})
export type SearchPatterns = Static<typeof SearchPatterns>

/** How people answer to what they are shown. */
export const FeedbackPatterns = Type.Object({
  window: Type.String(),
  entries: Type.Integer({ description: 'all that was told within the window, duplicates too' }),
  unmatched: Type.Integer({ description: 'of these, of an unknown session or query' }),
  duplicates: Type.Integer({ description: 'of these, told before within 30 minutes' }),
  byAction: Type.Array(Type.Object({ action: Type.String(), count: Type.Integer() }), {
    description: 'without duplicates',
  }),
  byPosition: Type.Array(
    Type.Object({
      position: Type.Integer(),
      shown: Type.Integer(),
      clicked: Type.Integer({ description: 'lists whose first click that named a hit was here' }),
      ctr: Rate,
    }),
  ),
  byDevice: Type.Array(
    Type.Object({
      deviceType: Type.String(),
      searches: Type.Integer(),
      clicked: Type.Integer(),
      ctr: Rate,
      entries: Type.Integer(),
    }),
  ),
  ratings: Type.Object({
    average: Rate,
    distribution: Type.Array(
      Type.Object({ from: Type.Number(), to: Type.Number(), count: Type.Integer() }),
    ),
  }),
  limit: Type.Integer(),
  ...Unread,
})
export type FeedbackPatterns = Static<typeof FeedbackPatterns>
