import type { TSchema } from 'typebox'
import { canonicalJson } from '../json/canonical.ts'

type Json = Record<string, unknown>

/** The shapes of a document that have a name: each is written once, and referred to wherever it stands. */
export interface Components {
  /** A part of the document with references in place of named shapes. */
  refer: (part: unknown) => unknown
  /** The named shapes that `refer` has met, by name. */
  met: () => Json
}

/** Shapes are known by what they are: those of optional fields are copies, and some have a description laid over them. */
export function openComponents(shapes: Readonly<Record<string, TSchema>>): Components {
  const outlines = new Set(Object.values(shapes).map(outlineOf))
  const names = new Map(Object.entries(shapes).map(([name, shape]) => [contentOf(shape), name]))
  const met = new Map<string, unknown>()

  function refer(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(refer)
    if (typeof part !== 'object' || part === null) return part
    const name = outlines.has(outlineOf(part)) ? names.get(contentOf(part)) : undefined
    if (name === undefined) return members(part)
    const shape = shapes[name] as TSchema & Json
    if (!met.has(name)) {
      met.set(name, undefined)
      met.set(name, members(shape))
    }
    const { description } = part as Json
    const $ref = `#/components/schemas/${name}`
    return description === shape.description ? { $ref } : { $ref, description }
  }
  function members(part: object): Json {
    return Object.fromEntries(
      Object.entries(withItsWords(part)).map(([key, value]) => {
        const [name, held] = ofAnyName(key, value)
        return [name, refer(held)]
      }),
    )
  }
  return { refer, met: () => Object.fromEntries([...met].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** A word of a request (`Word` of `schema/common.ts`): what takes it reads more spellings than a client needs. */
function withItsWords(part: object): object {
  if (!('words' in part) || (part as Json).type !== 'string') return part
  const { words, maxLength: _length, pattern: _pattern, ...others } = part as Json
  return { ...others, enum: words }
}

/** What stands under names of any kind (`MapOf`) is told in the way that generators of clients know. */
function ofAnyName(key: string, value: unknown): [string, unknown] {
  if (key !== 'patternProperties') return [key, value]
  const { '^': held, ...others } = value as Json
  const isAny = held !== undefined && Object.keys(others).length === 0
  return isAny ? ['additionalProperties', held] : [key, value]
}

/** What tells most shapes apart: to write out each part of a document whole would take as often as it is deep. */
function outlineOf(part: object): string {
  const { type, properties, anyOf } = part as Json
  return `${type} ${Object.keys(properties ?? {}).join()} ${Array.isArray(anyOf) ? anyOf.length : 0}`
}

/** A shape without what is only said about it. */
function contentOf(shape: object): string {
  const { description: _, ...content } = shape as Json
  return canonicalJson(content)
}
