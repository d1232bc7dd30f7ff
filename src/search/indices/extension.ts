import { invalid } from '../../errors.ts'
import type { IndexMappings } from '../../schema/indices.ts'
import { type Definition, definitionJson } from './definition.ts'

/** Whether two definitions take and find the same. */
export function isSame(one: Definition, other: Definition): boolean {
  const isSameCore = definitionJson(one) === definitionJson(other)
  const isSameShape = JSON.stringify(one.objects) === JSON.stringify(other.objects)
  const isAsStrict = (one.strict === undefined) === (other.strict === undefined)
  return isSameCore && isSameShape && isAsStrict
}

/** A mapping with another laid over it. */
export function mergeMappings(known: IndexMappings, added: IndexMappings): IndexMappings {
  return {
    ...known,
    ...added,
    properties: { ...known.properties, ...added.properties },
  }
}

/** Throws MAPPING_CONFLICT where a field's type would change: what is indexed already would no longer mean the same. */
export function checkTypes(before: Definition, after: Definition): void {
  if (JSON.stringify(before.embedder) !== JSON.stringify(after.embedder))
    throw invalid(
      'mappings.properties',
      'would change where the vectors come from; create a new index instead',
      'MAPPING_CONFLICT',
    )
  const now = new Map(typesOf(after))
  for (const [name, type] of typesOf(before))
    if (now.get(name) !== type)
      throw invalid(
        `mappings.properties.${name}.type`,
        `is ${type} already and can't change; create a new index instead`,
        'MAPPING_CONFLICT',
      )
}

function typesOf({ fields, objects }: Definition): [name: string, type: string][] {
  return [
    ...fields.map(({ name, type }): [string, string] => [name, type]),
    ...objects.map(({ name }): [string, string] => [name, 'object']),
  ]
}
