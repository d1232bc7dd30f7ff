import { invalid } from '../../errors.ts'
import { beginningOf } from '../../word.ts'
import type { Definition } from './definition.ts'

/**
 * Fields and objects that an index may have, those of every index among them: each document is looked through for all of
 * them, and each search whose words no mapping has looks through them, too.
 */
export const FIELDS_MAX = 4096

/**
 * Names of which the path of a field or an object consists at most, with those that a name with dots stands for. In each
 * object of a document all beginnings of the rest of a path are looked for: one of 20 000 names took eight seconds. Elasticsearch's limit.
 */
export const PATH_NAMES_MAX = 20

/** Gives a definition back; throws VALIDATION_FAILED where it has too many fields, or one too deep, and not from before. */
export function mustHaveFew(definition: Definition, before?: Definition): Definition {
  refuseDeep(definition, before)
  const count = ({ fields, objects }: Definition) => fields.length + objects.length
  const most = Math.max(FIELDS_MAX, before === undefined ? 0 : count(before))
  if (count(definition) <= most) return definition
  const message = `must name fewer fields: an index has at most ${FIELDS_MAX}, with objects, what is inside of them, what stands under fields, and the fields that every index has; what need not be searched or typed can do without a mapping`
  throw invalid('mappings.properties', message)
}

/** Longest name of a field that a refusal shows. */
const NAME_CHARACTERS_MAX = 128

function refuseDeep(definition: Definition, before?: Definition): void {
  const deep = pathsOf(definition).filter((path) => path.split('.').length > PATH_NAMES_MAX)
  if (deep.length === 0) return
  const known = new Set(before === undefined ? [] : pathsOf(before))
  const added = deep.find((path) => !known.has(path))
  if (added === undefined) return
  const message = `lies inside of too many objects: its path has at most ${PATH_NAMES_MAX} names, with those between the dots of one`
  throw invalid(`mappings.properties.${beginningOf(added, NAME_CHARACTERS_MAX)}`, message)
}

function pathsOf({ fields, objects }: Definition): string[] {
  return [...fields, ...objects].map(({ name }) => name)
}
