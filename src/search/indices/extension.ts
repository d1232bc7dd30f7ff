import { invalid } from '../../errors.ts'
import { isObject, ownValue } from '../../object.ts'
import type { IndexMappings } from '../../schema/indices.ts'
import { DEFAULT_PROPERTIES, type Definition, definitionJson } from './definition.ts'

/** Whether two definitions take and find the same. */
export function isSameDefinition(one: Definition, other: Definition): boolean {
  const isSameCore = definitionJson(one) === definitionJson(other)
  const isSameShape = JSON.stringify(one.objects) === JSON.stringify(other.objects)
  const isAsStrict = (one.strict === undefined) === (other.strict === undefined)
  return isSameCore && isSameShape && isAsStrict
}

/** A mapping with another laid over it: of a field that is there, what the other does not say stays. */
export function mergeMappings(known: IndexMappings, added: IndexMappings): IndexMappings {
  const { properties = {} } = added
  const before = { ...defaultsOf(properties), ...known.properties }
  return { ...known, ...added, properties: mergeFields(before, properties) }
}

/** Those of the named fields that every index has: they are there, whether or not its own mapping names them. */
function defaultsOf(named: object): typeof DEFAULT_PROPERTIES {
  const both = Object.entries(DEFAULT_PROPERTIES).filter(([name]) => Object.hasOwn(named, name))
  return Object.fromEntries(both)
}

type Shape = Record<string, unknown>

function mergeFields<Field>(known: Record<string, Field>, added: Record<string, Field>) {
  const laidOver = Object.entries(added).map(([name, sent]): [string, Field] => {
    const before = ownValue(known, name)
    const areBoth = isObject(before) && isObject(sent)
    return [name, areBoth ? (mergeField(before, sent) as Field) : sent]
  })
  return { ...known, ...Object.fromEntries(laidOver) }
}

/** Keys of a field that say the same. */
const SPELLINGS = [
  ['searched', 'index'],
  ['weight', 'boost'],
  ['searchAnalyzer', 'search_analyzer'],
  ['dims', 'dimensions', 'dimension'],
]

/** Where fields lie in a field: inside of an object, and other readings of the same values. */
const INNER = ['properties', 'fields']

function mergeField(known: Shape, sent: Shape): Shape {
  const said = SPELLINGS.filter((spellings) => spellings.some((key) => key in sent)).flat()
  const kept = Object.entries(known).filter(([key]) => !said.includes(key))
  const inner = INNER.flatMap((key): [string, Shape][] => {
    const [before, after] = [known[key], sent[key]]
    return isObject(before) && isObject(after) ? [[key, mergeFields(before, after)]] : []
  })
  return { ...Object.fromEntries(kept), ...sent, ...Object.fromEntries(inner) }
}

/** Throws MAPPING_CONFLICT where a field's type would change: what is indexed already would no longer mean the same. */
export function refuseOtherTypes(before: Definition, after: Definition): void {
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
    // An object first: that it would become something else says more than that its fields would go.
    ...objects.map(({ name }): [string, string] => [name, 'object']),
    ...fields.map(({ name, type }): [string, string] => [name, type]),
  ]
}
