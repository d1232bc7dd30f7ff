import { invalid, type ServiceError } from '../../errors.ts'
import type { Definition } from '../indices/definition.ts'

/**
 * Looks that the fields of a mapping take in the objects of one document. Each field is looked for in each object that it may
 * lie in: four thousand fields in a list of a hundred thousand empty objects held everybody up for twenty seconds.
 */
const LOOKS_MAX = 4_000_000

/** What is looked for in an object, by the path at which it stands. */
interface Inside {
  looks: number
  /** Names with which paths go on that do not end in it. */
  heads: Set<string>
}

type Around = ReadonlyMap<string, Inside>

/**
 * What is wrong with a document whose objects are too many for the fields that its mapping names inside of them; `place` is
 * where its request has it.
 */
export function looksProblem(
  source: Record<string, unknown>,
  definition: Definition,
  place: string,
): ServiceError | undefined {
  const around = aroundOf(definition)
  const top = around.get('')
  // Nearly all mappings name no field inside of an object.
  if (top === undefined) return undefined
  const room = { left: LOOKS_MAX }
  for (const key in source) {
    if (!top.heads.has(headOf(key))) continue
    spend(source[key], key, around, room)
    if (room.left < 0) return invalid(`${place}${key}`, TOO_MANY)
  }
  return undefined
}

const TOO_MANY = `holds too many objects for the fields that the mapping names inside of them: objects times fields may be ${LOOKS_MAX}, those that lie deeper counting more; split the document, or map fewer fields`

function spend(value: unknown, path: string, around: Around, room: { left: number }): void {
  const inside = around.get(path)
  if (inside === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) {
      if (room.left < 0) return
      spend(item, path, around, room)
    }
    return
  }
  room.left -= inside.looks
  if (inside.heads.size === 0 || room.left < 0) return
  const object = value as Record<string, unknown>
  for (const key in object)
    if (inside.heads.has(headOf(key))) spend(object[key], `${path}.${key}`, around, room)
}

/** The beginning of a dotted path. */
export function headOf(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}

const KNOWN = new WeakMap<Definition, Around>()

function aroundOf(definition: Definition): Around {
  const known = KNOWN.get(definition)
  if (known !== undefined) return known
  const { fields, objects } = definition
  const bare = objects.filter(({ isBare }) => isBare).map(({ name }) => name)
  const around = new Map<string, Inside>()
  for (const path of new Set([...fields.map(({ source }) => source), ...bare]))
    if (path.includes('.')) add(path.split('.'), around)
  KNOWN.set(definition, around)
  return around
}

function add(keys: readonly string[], around: Map<string, Inside>): void {
  for (const [at, head] of keys.entries()) {
    const path = keys.slice(0, at).join('.')
    const inside = around.get(path) ?? { looks: 0, heads: new Set() }
    const rest = keys.length - at
    // Keys may hold the dots themselves: each beginning of the rest is tried, and is the longer the more there is.
    inside.looks += rest * rest
    if (rest > 1) inside.heads.add(head)
    around.set(path, inside)
  }
}
