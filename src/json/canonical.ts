import { isHeavy, runsOf } from './gradual-text.ts'

interface Canonical {
  /** Keys of the object itself that are taken; all of them unless given. */
  only?: ReadonlySet<string>
  /** Lists are sets: their order says nothing. */
  areSets?: boolean
}

/** JSON with sorted keys, so that equal objects give equal text; without keys whose value is undefined. */
export function canonicalJson(value: unknown, { only, areSets = false }: Canonical = {}): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return listJson(value, areSets)
  let text = ''
  const keys = Object.keys(value).filter((key) => only?.has(key) !== false)
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    const inner = (value as Record<string, unknown>)[key]
    if (inner === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner, { areSets })}`
  }
  return `{${text}}`
}

/** The text of `canonicalJson` in parts, of which none takes long. */
export function* canonicalParts(value: unknown): Generator<string> {
  if (typeof value !== 'object' || !isHeavy(value)) yield canonicalJson(value)
  else if (Array.isArray(value)) yield* partsOfList(value)
  else yield* partsOfObject(value as Record<string, unknown>)
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  let comma = '['
  for (const run of runsOf(list)) {
    yield comma
    if (run.length === 1) yield* canonicalParts(run[0])
    else yield canonicalJson(run).slice(1, -1)
    comma = ','
  }
  yield ']'
}

function* partsOfObject(object: Record<string, unknown>): Generator<string> {
  let comma = '{'
  for (const key of Object.keys(object).sort()) {
    if (object[key] === undefined) continue
    yield `${comma}${JSON.stringify(key)}:`
    yield* canonicalParts(object[key])
    comma = ','
  }
  yield comma === '{' ? '{}' : '}'
}

function listJson(list: readonly unknown[], areSets: boolean): string {
  // The long lists, those of models, hold numbers.
  if (!areSets && list.every((each) => typeof each !== 'object')) return JSON.stringify(list)
  const items = list.map((each) => canonicalJson(each, { areSets }))
  return `[${areSets ? items.sort() : items}]`
}
