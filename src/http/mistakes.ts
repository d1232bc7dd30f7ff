import type { ErrorDetail } from '../errors.ts'
import { beginningOf } from '../word.ts'

const PATH_CHARACTERS_MAX = 128
/** What the validator tells of one keyword of a schema. */
interface FoundError {
  keyword: string
  instancePath: string
  schemaPath: string
  params: Record<string, unknown>
  message?: string | undefined
  parentSchema?: object | undefined
}

/** Mistakes that one answer tells. */
const MISTAKES_MAX = 10
/** Values up to which a body is looked through for further mistakes: each can be several errors, and all are made. */
const VALUES_MAX = 500

/** Whether a value is small enough for all of its mistakes to be looked for. */
export function isSmall(value: unknown): boolean {
  const waiting = [value]
  let values = 1
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inner = typeof next === 'object' && next !== null ? Object.values(next) : []
    values += inner.length
    if (values > VALUES_MAX) return false
    waiting.push(...inner)
  }
  return true
}

/**
 * The mistakes that are known, the first of them first, then others in their order, each at a place of its own; `errors` are
 * all that a validator found.
 */
export function mistakesOf(
  found: readonly [ErrorDetail, ...ErrorDetail[]],
  errors: readonly FoundError[],
): ErrorDetail[] {
  const known = new Map<string, ErrorDetail>()
  for (const each of found) if (!known.has(each.path)) known.set(each.path, each)
  for (const group of groupsOf(errors)) {
    const mistake = explain(group)
    if (!known.has(mistake.path) && !holds(group, found[0])) known.set(mistake.path, mistake)
    if (known.size >= MISTAKES_MAX) break
  }
  return [...known.values()].slice(0, MISTAKES_MAX)
}

/** Errors that belong together, each group in front of the union, or the rule for names, that they are of. */
function groupsOf(errors: readonly FoundError[]): FoundError[][] {
  const groups: FoundError[][] = []
  let end = errors.length
  while (end > 0) {
    const last = errors[end - 1] as FoundError
    let from = end - 1
    while (from > 0 && isWithin(errors[from - 1] as FoundError, last)) from -= 1
    groups.push(errors.slice(from, end))
    end = from
  }
  return groups.reverse()
}

function isWithin(error: FoundError, { schemaPath, instancePath }: FoundError): boolean {
  return (
    error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath)
  )
}

/** Whether a union failed for the first mistake, whatever else could be said of it. */
function holds(group: readonly FoundError[], { path }: ErrorDetail): boolean {
  const last = group.at(-1)
  return last?.keyword === 'anyOf' && path.startsWith(pathOf(last))
}

/** Picks the error that helps most: the deepest one inside a union, else the union's choices in one sentence. */
export function explain(errors: readonly FoundError[]): ErrorDetail {
  const last = errors.at(-1)
  if (last === undefined) return { path: '', message: 'is not valid' }
  if (last.keyword === 'propertyNames') return { path: pathOf(last), message: nameMessage(errors) }
  if (last.keyword !== 'anyOf') return { path: pathOf(last), message: messageOf(last) }
  const deeper = errors.filter((error) => pathOf(error).length > pathOf(last).length)
  const deepest = deeper.at(-1)
  if (deepest !== undefined) {
    const within = deeper.slice(0, deeper.indexOf(deepest) + 1)
    // A union inside the union is explained by itself.
    return explain(within.filter(({ instancePath: at }) => at.startsWith(deepest.instancePath)))
  }
  return { path: pathOf(last), message: choicesOf(errors) }
}

/** The message about a name in a map, which may be too long to be repeated. */
function nameMessage(errors: readonly FoundError[]): string {
  const within = errors.at(-2)
  return `has a name that ${within === undefined ? 'is not valid' : messageOf(within)}`
}

/** What a union asks for whose choices all fail at the same place. */
function choicesOf(errors: readonly FoundError[]): string {
  const others = errors.filter((error) => error.keyword !== 'anyOf')
  const precise = others.filter((error) => error.keyword !== 'type')
  const [first] = precise
  if (first === undefined) {
    const types = others.map(typeWanted)
    return `must be ${[...new Set(types)].join(' or ')}`
  }
  if (precise.some((error) => error.keyword !== 'const')) return messageOf(first)
  return `must be one of ${precise.map((error) => String(error.params.allowedValue)).join(', ')}`
}

function pathOf(error: FoundError): string {
  const named: unknown = error.params.missingProperty ?? error.params.additionalProperty
  const pointer = named === undefined ? error.instancePath : `${error.instancePath}/${named}`
  let path = ''
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) path += `[${name}]`
    else path += path === '' ? name : `.${name}`
  }
  return beginningOf(path, PATH_CHARACTERS_MAX)
}

/** What a value must keep to, by the keyword of the schema, in the words of other messages. */
const LIMITS: Readonly<Record<string, (limit: number) => string>> = {
  minItems: (limit) => `must have at least ${counted(limit, 'item', 'items')}`,
  maxItems: (limit) => `must have at most ${counted(limit, 'item', 'items')}`,
  minProperties: (limit) => `must have at least ${counted(limit, 'property', 'properties')}`,
  maxProperties: (limit) => `must have at most ${counted(limit, 'property', 'properties')}`,
  minLength: (limit) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${counted(limit, 'character', 'characters')}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
}

function messageOf(error: FoundError): string {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'additionalProperties') return 'is not a known property'
  if (error.keyword === 'enum')
    return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  const limit = LIMITS[error.keyword]
  if (limit !== undefined) return limit(error.params.limit as number)
  if (error.keyword === 'type') return `must be ${typeWanted(error)}`
  if (error.keyword === 'const') return `must be ${error.params.allowedValue}`
  if (error.keyword === 'pattern') return patternMessage(error)
  if (error.params.format === 'date-time') return 'must be a time such as 2026-01-31T12:00:00Z'
  return error.message ?? 'is not valid'
}

/** What has a form of its own is shown: other services take a text or a list, a number, or an object there. */
function typeWanted({ params, parentSchema }: FoundError): string {
  const named = typeNamed(params.type)
  const { examples } = (parentSchema ?? {}) as { examples?: unknown }
  const [example] = Array.isArray(examples) ? examples : []
  return example === undefined ? named : `${named} such as ${JSON.stringify(example)}`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** A JSON type, in the words of other messages. */
function typeNamed(type: unknown): string {
  return TYPES[String(type)] ?? String(type)
}

/** A list of words as a pattern is read as the list; of another pattern, an example is shown. */
function patternMessage({ params, parentSchema }: FoundError): string {
  const pattern = String(params.pattern)
  const inOneCase = pattern.replace(/\[([a-z])[A-Z]\]/g, '$1')
  const [, words] = /^\^\((?:\?:)?([\w|]+)\)\$$/.exec(inOneCase) ?? []
  if (words !== undefined) return `must be one of ${words.replaceAll('|', ', ')}`
  const { examples } = (parentSchema ?? {}) as { examples?: unknown }
  if (!Array.isArray(examples)) return `must match the pattern ${pattern}`
  return `must be of the form of ${examples.join(', ')} (${pattern})`
}
