import { Type } from 'typebox'

/** An object that is kept as it came. */
export const FreeForm = Type.Object({}, { additionalProperties: true })

export const Id = Type.String({ minLength: 1, maxLength: 128 })

/** A session, user, client or query as others call it. */
export const ForeignId = Type.String({ maxLength: 128 })

/** Between none (0) and all (1). */
export const Share = Type.Number({ minimum: 0, maximum: 1 })

/** A moment: ISO 8601, or epoch milliseconds. */
export const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.Number()])

/** JSON of any type but a quoted string. */
export const Unquoted = Type.Union([
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.Unknown()),
  FreeForm,
])

export const DateTime = Type.String({ format: 'date-time' })
