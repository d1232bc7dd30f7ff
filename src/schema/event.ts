import { type Static, Type } from 'typebox'
import { AnyCase, DateTime, FreeForm, Id, OneOf, PageBounds, PageQuery, Words } from './common.ts'

const When = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

/** Which events are wanted; all that are given must hold. */
export const EventQuery = Type.Object({
  type: Type.Optional(Words),
  status: Type.Optional(Words),
  sessionId: Type.Optional(Id),
  modelId: Type.Optional(Id),
  adaptationId: Type.Optional(Id),
  startDate: When('the first moment: ISO 8601 or epoch ms; a day alone means its beginning'),
  endDate: When('the last moment: ISO 8601 or epoch ms; a day alone means its end'),
  ...PageQuery,
  order: Type.Optional(
    AnyCase(['asc', 'desc'], {
      default: 'desc',
      description: 'desc: newest first; asc: oldest first',
    }),
  ),
})
export type EventQuery = Static<typeof EventQuery>

/** One line of the history of learning. */
export const LearningEvent = Type.Object({
  id: Type.String(),
  type: Type.String(),
  status: Type.String(),
  priority: OneOf(['LOW', 'NORMAL', 'HIGH', 'CRITICAL']),
  timestamp: DateTime,
  source: Type.String({ description: 'the part of the service that it comes from' }),
  correlationId: Type.Union([Type.String(), Type.Null()], {
    description: 'what it belongs to, such as a feedback id',
  }),
  sessionId: Type.Union([Type.String(), Type.Null()]),
  modelId: Type.Optional(Type.String()),
  adaptationId: Type.Optional(Type.String()),
  data: FreeForm,
})
export type LearningEvent = Static<typeof LearningEvent>

/** An event as it is kept: what it does not speak of is left out. */
export type StoredEvent = Omit<LearningEvent, 'correlationId' | 'sessionId'> & {
  correlationId?: string
  sessionId?: string
  /** Members of its data that are kept as JSON. */
  told?: Record<string, string>
}

/** A page of the history. */
export const EventList = Type.Object({
  events: Type.Array(LearningEvent),
  ...PageBounds,
})
export type EventList = Static<typeof EventList>
