import { openBreath } from '../breath.ts'
import { wellFormedJson } from './well-formed.ts'

/* JSON of a large value, made a part at a time, so that others have their turns meanwhile. */

/** Values and names that are made into JSON in one go; a text counts for more by its length. */
const RUN_WEIGHT = 4096
/** Characters of a text that weigh as much as a value. */
const TEXT_CHARACTERS = 16
const TEXT_MAX = RUN_WEIGHT * TEXT_CHARACTERS

/** Whether a value weighs so much, by default so much that making its JSON would hold others up. */
export function isHeavy(value: unknown, weight = RUN_WEIGHT): boolean {
  return weigh(value, weight) >= weight
}

/**
 * The text that `wellFormedJson` makes of an object, made a part at a time; members of the object itself for which
 * `isLeftOut` holds are left out.
 */
export function jsonGradually(
  object: Record<string, unknown>,
  isLeftOut?: (value: unknown) => boolean,
): Promise<string> {
  return joinGradually(partsOfObject(object, isLeftOut))
}

async function joinGradually(parts: Iterable<string>): Promise<string> {
  const breathe = openBreath()
  const all: string[] = []
  await breathe()
  for (const part of parts) {
    all.push(part)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  return all.join('')
}

/** JSON of an object or a list: made at once, or a part at a time when it is large. */
export function jsonText(value: object): string | Promise<string> {
  return isHeavy(value) ? joinGradually(partsOf(value)) : wellFormedJson(value)
}

/** JSON of an object with further members whose JSON is there already. */
export function jsonWith(object: object, members: Readonly<Record<string, string>>): string {
  const own = JSON.stringify(object).slice(1, -1)
  const all = Object.entries(members).map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return `{${[...(own === '' ? [] : [own]), ...all].join(',')}}`
}

/** What a value weighs, or `most` as soon as it is no less. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / TEXT_CHARACTERS
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  if (Array.isArray(value)) {
    for (const item of value) {
      weight += weigh(item, most - weight)
      if (weight >= most) return most
    }
    return weight
  }
  for (const name in value) {
    weight += 1 + name.length / TEXT_CHARACTERS
    if (weight < most) weight += weigh((value as Record<string, unknown>)[name], most - weight)
    if (weight >= most) return most
  }
  return weight
}

function* partsOf(value: unknown): Generator<string> {
  if (!isHeavy(value)) yield wellFormedJson(value)
  else if (typeof value === 'string') yield* partsOfText(value)
  else if (Array.isArray(value)) yield* partsOfList(value)
  else yield* partsOfObject(value as Record<string, unknown>)
}

function* partsOfText(text: string): Generator<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + TEXT_MAX, text.length)
    // Halves of a pair stay together.
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1
    yield inner(text.slice(from, to))
    from = to
  }
  yield '"'
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  let comma = '['
  for (const run of runsOf(list)) {
    if (run.length > 1 || !isHeavy(run[0])) yield comma + inner(run)
    else {
      yield comma
      yield* partsOf(run[0])
    }
    comma = ','
  }
  yield ']'
}

/** The items of a list, as many together as are made into JSON in one go; one that is heavy comes by itself. */
export function* runsOf(list: readonly unknown[]): Generator<unknown[]> {
  let from = 0
  let weight = 0
  for (let to = 0; to < list.length; to += 1) {
    const more = weigh(list[to], RUN_WEIGHT)
    if (to > from && (weight >= RUN_WEIGHT || more >= RUN_WEIGHT)) {
      yield list.slice(from, to)
      from = to
      weight = 0
    }
    weight += more
  }
  if (from < list.length) yield list.slice(from)
}

function* partsOfObject(
  object: Record<string, unknown>,
  isLeftOut = (_value: unknown): boolean => false,
): Generator<string> {
  let comma = '{'
  let some: [string, unknown][] = []
  let weight = 0
  function* flush(): Generator<string> {
    if (some.length > 0) {
      yield comma + inner(Object.fromEntries(some))
      comma = ','
    }
    some = []
    weight = 0
  }
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (value === undefined || isLeftOut(value)) continue
    if (isHeavy(value)) {
      yield* flush()
      yield `${comma}${wellFormedJson(name)}:`
      yield* partsOf(value)
      comma = ','
      continue
    }
    some.push([name, value])
    weight += 1 + name.length / TEXT_CHARACTERS + weigh(value, RUN_WEIGHT)
    if (weight >= RUN_WEIGHT) yield* flush()
  }
  yield* flush()
  yield comma === '{' ? '{}' : '}'
}

/** JSON of a value without the signs around it. */
function inner(value: unknown): string {
  return wellFormedJson(value).slice(1, -1)
}
