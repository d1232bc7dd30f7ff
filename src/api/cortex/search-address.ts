import { invalid, ServiceError } from '../../errors.ts'
import { booleanText, openValidators } from '../../http/validate.ts'
import { type ReadJson, readJson } from '../../json/json.ts'
import { refuseUnkeepable } from '../../json/unkeepable.ts'
import { type SearchQuery, SearchRequest } from '../../schema/search.ts'
import { refuseContradiction } from '../agreement.ts'

/* A search whose words stand in its address. */

const checkSearch = openValidators().thorough(SearchRequest)

/** Texts and names of fields are only looked up: with half a character in them they find what was stored so. */
export const SEARCH_CONTENT: readonly (keyof SearchRequest)[] = [
  'query',
  'filters',
  'facets',
  'sort',
  'fields',
  'searchFields',
  'boost',
  'highlight',
]

/** How a parameter's text becomes what a body has in its place; `depthMax` bounds JSON in it. */
type Read = (text: string, name: string, depthMax: number) => unknown

const READS: readonly (readonly [keyof SearchQuery & keyof SearchRequest, Read])[] = [
  ['index', (text) => text.split(',')],
  ['filters', readObject],
  ['boost', readObject],
  ['fields', readList],
  ['searchFields', readList],
  ['facets', readList],
  ['sort', readList],
  ['highlight', readHighlight],
  ['vector', readNumbers],
]

/** The GET form in the shape of the POST form, and checked like it. */
export function fromAddress(sent: SearchQuery, depthMax: number): SearchRequest {
  refuseContradiction({ path: 'query', again: sent.query, place: '?q=', first: sent.q })
  const { q, query = q, ...same } = sent
  const search: Record<string, unknown> = query === undefined ? same : { ...same, query }
  for (const [name, read] of READS) {
    const texts = sent[name]
    if (texts !== undefined) search[name] = read([texts].flat().join(), name, depthMax)
  }
  checkSearch(search)
  return search as SearchRequest
}

function readObject(text: string, name: string, depthMax: number): object {
  const value = readJsonText(text, name, depthMax, 'must be a JSON object')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(name, 'must be a JSON object')
  return value
}

function readList(text: string, name: string, depthMax: number): unknown {
  return isJson(text) ? readJsonText(text, name, depthMax, BROKEN_LIST) : text.split(',')
}

const BROKEN_LIST = 'must be names with commas, or valid JSON where it begins with { or ['

function readHighlight(text: string, name: string, depthMax: number): unknown {
  if (isJson(text))
    return readJsonText(text, name, depthMax, 'must be true or false, or a JSON object')
  const word = booleanText(text)
  return word === 'true' || (word === 'false' ? false : text)
}

/** Base64 has no commas, and no blanks either: one is a `+` that was not escaped. */
function readNumbers(text: string, name: string, depthMax: number): unknown {
  if (isJson(text)) return readJsonText(text, name, depthMax, BROKEN_VECTOR)
  if (BASE64.test(text)) return text.replaceAll(' ', '+')
  return text.split(',').map((part) => {
    if (!NUMBER.test(part)) throw invalid(name, BROKEN_VECTOR)
    return Number(part)
  })
}

const BASE64 = /^[\w+/ -]{4,}=*$/
const NUMBER = /^\s*-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i
const BROKEN_VECTOR =
  'must be numbers with commas, such as 0.1,-0.2, or base64 of little-endian float32 numbers'

function isJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[')
}

/** A parameter that is JSON, under the same rules as a body. */
function readJsonText(text: string, name: string, depthMax: number, broken: string): unknown {
  let read: ReadJson
  try {
    read = readJson(Buffer.from(text), depthMax, { name })
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'MALFORMED_JSON')
      throw invalid(name, broken)
    throw cause
  }
  if (read.suspicious) refuseUnkeepable({ [name]: read.value }, SEARCH_CONTENT)
  return read.value
}
