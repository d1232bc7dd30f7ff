import { invalid } from '../../errors.ts'
import { isDate } from '../date.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { FieldDefinition } from '../indices/mapped-field.ts'
import { spellsNumber } from '../number-text.ts'
import { refuseRange } from './analysed.ts'
import type { CoreRequest } from './core-request.ts'
import { BOUNDS, type FilterNode, type FilterValue, placeInRequest } from './filter.ts'

/**
 * Throws VALIDATION_FAILED for a filter or a facet's range whose value none of the searched indices can compare with the
 * field that it names, such as a word with a number, and for a filter on vectors or a range of analysed text. A field that
 * one of them does not map may hold anything there.
 */
export function refuseMistyped({ filter, facets = [] }: CoreRequest, entries: IndexEntry[]): void {
  if (filter !== undefined) refuseNode(filter, entries)
  for (const { field, ranges = [] } of facets)
    ranges.forEach(({ from, to }, at) => {
      const bounds = [from, to].filter((bound) => bound !== undefined)
      refuseValues({ path: `facets.${field}.ranges[${at}]`, name: field }, bounds, entries)
    })
}

function refuseNode(node: FilterNode, entries: IndexEntry[]): void {
  if ('field' in node) refuseVector(node, entries)
  if ('and' in node) for (const each of node.and) refuseNode(each, entries)
  else if ('or' in node) for (const each of node.or) refuseNode(each, entries)
  else if ('not' in node) refuseNode(node.not, entries)
  else if ('ids' in node) return
  else if ('any' in node) refuseValues(filtered(node), node.any, entries)
  else if ('exists' in node) return
  else {
    // By their names: a condition of another kind, which is no range, does not compile here.
    const bounds = BOUNDS.map((bound) => node[bound]).filter((value) => value !== undefined)
    refuseRange(placeInRequest(node), node.field, entries)
    refuseValues(filtered(node), bounds, entries)
  }
}

/** A field, and where the request compares it. */
interface Compared {
  path: string
  name: string
}

type Condition = FilterNode & { field: string }

function filtered(node: Condition): Compared {
  return { path: placeInRequest(node), name: node.field }
}

function refuseVector(node: Condition, entries: IndexEntry[]): void {
  const isVector = ({ definition }: IndexEntry) => definition.embedder.field === node.field
  if (entries.length > 0 && entries.every(isVector))
    throw invalid(placeInRequest(node), "is a vector: it is searched by, and can't be filtered by")
}

function refuseValues(
  { path, name }: Compared,
  values: readonly FilterValue[],
  entries: IndexEntry[],
): void {
  const types: FieldDefinition['type'][] = []
  for (const { definition } of entries) {
    const own = definition.types.get(name)
    if (own === undefined) return
    types.push(own)
  }
  const [type] = types
  const isRefused = (value: FilterValue) => types.every((own) => !compares(own, value))
  if (type === undefined || !values.some(isRefused)) return
  throw invalid(path, `must be compared with a ${wantedBy(type)}: its type is ${type}`)
}

function wantedBy(type: FieldDefinition['type']): string {
  if (type === 'date') return 'date (ISO 8601 or epoch milliseconds)'
  return type === 'boolean' ? 'boolean' : 'number'
}

/** As the core reads values; numbers and booleans may come as strings, as they do in an address. */
function compares(type: FieldDefinition['type'], value: FilterValue): boolean {
  if (type === 'text' || type === 'keyword') return true
  if (type === 'boolean') return typeof value === 'boolean' || value === 'true' || value === 'false'
  // A year alone would be some seconds after 1970.
  if (type === 'date') return isDate(value) || (isSpelt(value) && !YEAR.test(value))
  return isNumber(value)
}

const YEAR = /^\d{4}$/

function isNumber(value: FilterValue): boolean {
  return typeof value === 'number' || isSpelt(value)
}

/** A number in a text, as addresses have it. */
function isSpelt(value: FilterValue): value is string {
  return typeof value === 'string' && spellsNumber(value)
}
