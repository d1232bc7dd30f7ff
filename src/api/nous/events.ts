import { momentWarnings } from '../../doubtful-moment.ts'
import { answer, route, stream } from '../../http/route.ts'
import { asksForEvents, EVENT_STREAM, NOTHING_MORE, sentEvents } from '../../http/sent-events.ts'
import { PageQuery } from '../../schema/common.ts'
import { EventList, EventQuery } from '../../schema/event.ts'
import { LearningFigures } from '../../schema/learning-figures.ts'

export const listLearningEvents = route({
  method: 'GET',
  path: '/nous/learn/events',
  tag: 'learning',
  summary: 'Read the events of learning, or follow them with Accept: text/event-stream',
  query: EventQuery,
  reply: EventList,
  streams: EVENT_STREAM,
  description:
    'A stream has each event as it comes: `limit`, `cursor` and `order` are those of a list, and a stream does not read them.',
  errors: ['INVALID_CURSOR'],
  doubts: ({ startDate, endDate }) => [
    ...momentWarnings(startDate, 'startDate'),
    ...momentWarnings(endDate, 'endDate'),
  ],
  handle: async ({ app, query, named, header }) => {
    const { events, caughtUpUnlessAnew } = app.learning
    if (!asksForEvents(header('accept'))) {
      await caughtUpUnlessAnew()
      return answer(await events.list(query))
    }
    const follow = events.follow(query, header('last-event-id'))
    const vain = named.filter((name) => PAGED.has(name)).map(unreadByStream)
    return stream(EVENT_STREAM, NOTHING_MORE, (signal) => sentEvents(follow(signal), vain))
  },
})

/** What says which page of the list is wanted. */
const PAGED: ReadonlySet<string> = new Set([...Object.keys(PageQuery), 'order'])

function unreadByStream(name: string): string {
  return `"${name}" is not read by a stream, which has each event as it comes, and was ignored.`
}

export const learningMetrics = route({
  method: 'GET',
  path: '/nous/learn/metrics',
  tag: 'learning',
  summary: 'Read the figures of learning',
  reply: LearningFigures,
  handle: async ({ app }) => {
    // They say how much waits, also while all is learned anew.
    await app.learning.caughtUpUnlessAnew()
    return app.learning.figures()
  },
})
