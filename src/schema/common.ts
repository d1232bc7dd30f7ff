import { type TSchema, type TString, Type } from 'typebox'
import { PAGE_ROWS } from './page-rows.ts'

/** An object that is kept as it came. */
export const FreeForm = Type.Object({}, { additionalProperties: true })

/**
 * Names of any kind, and what each of them holds. A record of plain strings would not look at what stands under a name
 * with a line break: its pattern is `^.*$`.
 */
export function MapOf<Held extends TSchema>(held: Held, options: Record<string, unknown> = {}) {
  return Type.Record(Type.String({ pattern: '^' }), held, options)
}

/** Longer than ours: an id that is none gets a 404, not a lesson about its form. */
export const Id = Type.String({ minLength: 1, maxLength: 128 })

/** The path of a thing that has an id. */
export const IdPath = Type.Object({ id: Id })

/** A session, user, client or query as others call it. */
export const ForeignId = Type.String({ maxLength: 128 })

export const QUERY_CHARACTERS_MAX = 4096

/** The words of a search. */
export const QueryText = Type.String({ maxLength: QUERY_CHARACTERS_MAX })

/** Between none (0) and all (1). */
export const Share = Type.Number({ minimum: 0, maximum: 1 })

/** A moment; whoever takes it reads it by `readMoment`, which refuses a text that is none. */
export const Moment = Type.Union([
  Type.String({ format: 'date-time' }),
  Type.String({ maxLength: 64, description: 'ISO 8601; a day alone means its beginning (UTC)' }),
  Type.Number({ description: 'epoch ms' }),
])

/** JSON of any type but a quoted string. */
export const Unquoted = Type.Union([
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.Unknown()),
  FreeForm,
])

const FILTERED_BY = { maxItems: 100, description: 'repeated or as a comma list; any case' }
/** Words that a list is filtered by. */
export const Words = Type.Array(Type.String({ maxLength: 1024 }), FILTERED_BY)
/** As `Words`, of a closed list. */
export const WordsOf = (words: readonly string[]) => Type.Array(Word(words), FILTERED_BY)

/** What of its address a request does not read; whoever answers it adds it. */
export const Unread = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'names in the address that are not read, and dates that are probably meant in seconds; eight at most',
    }),
  ),
}

/** What of its body a request does not read. */
export const UnreadBody = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'names that are no field of the body, and were ignored; eight at most',
    }),
  ),
}

/** Which page of a list whose rows may be long. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: PAGE_ROWS,
      description: 'fewer come where they tell megabytes; nextCursor leads on',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
}

/** What a page of a list says besides its rows, and what was asked in vain. */
export const PageBounds = {
  total: Type.Integer({ description: 'those that match, on all pages' }),
  limit: Type.Integer(),
  nextCursor: Type.Optional(Type.String({ description: 'absent on the last page' })),
  ...Unread,
}

export const DateTime = Type.String({ format: 'date-time' })

/** How many there were. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** One of a closed list, as answers tell it. */
export function OneOf<const Word extends string>(
  words: readonly Word[],
  options: Record<string, unknown> = {},
) {
  return Type.Unsafe<Word>(Type.String({ enum: words, ...options }))
}

/**
 * One of a closed list, as a request may say it: whoever reads it takes it in any case and refuses others. Only clients
 * are told of `words` here, by OpenAPI, as an `enum`.
 */
export function Word(words: readonly string[], options: Record<string, unknown> = {}): TString {
  return Type.String({ maxLength: 1024, words, ...options })
}

/** One of a closed list of lower-case words, in any case; handlers bring it into one. */
export function AnyCase(words: readonly string[], options: Record<string, unknown> = {}): TString {
  const either = (letter: string): string => `[${letter}${letter.toUpperCase()}]`
  const patterns = words.map((word) => word.replace(/[a-z]/g, either))
  return Type.String({ pattern: `^(?:${patterns.join('|')})$`, words, ...options })
}
