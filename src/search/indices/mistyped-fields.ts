import { invalid } from '../../errors.ts'
import { asObject, isObject } from '../../object.ts'

/** JSON types of what is read of a field; lengths of vectors are looked at where they are read. */
const TYPES: ReadonlyMap<string, 'string' | 'boolean' | 'number' | 'object'> = new Map([
  ['type', 'string'],
  ['analyzer', 'string'],
  ['searchAnalyzer', 'string'],
  ['search_analyzer', 'string'],
  ['searched', 'boolean'],
  ['vectorized', 'boolean'],
  ['index', 'boolean'],
  ['weight', 'number'],
  ['boost', 'number'],
  ['properties', 'object'],
  ['fields', 'object'],
])

/**
 * Throws VALIDATION_FAILED where a client's mapping has a value of another JSON type than is read there, at any depth.
 * `null` is one, too: nothing in a declaration is taken back by it. Not for mappings that are kept already: they open.
 */
export function refuseMistypedFields(properties: unknown, at = 'mappings.properties'): void {
  for (const [name, property] of Object.entries(asObject(properties) ?? {}))
    for (const [key, value] of Object.entries(asObject(property) ?? {})) {
      const type = TYPES.get(key)
      const path = `${at}.${name}.${key}`
      const isOfType = type === 'object' ? isObject(value) : typeof value === type
      if (type !== undefined && !isOfType)
        throw invalid(path, `must be ${type === 'object' ? 'an' : 'a'} ${type}`)
      if (type === 'object') refuseMistypedFields(value, path)
    }
}
