import { invalid } from '../../errors.ts'
import type { Definition } from './definition.ts'

/**
 * Fields and objects that an index may have, those of every index among them: each document is looked through for all of
 * them, and each search whose words no mapping has looks through them, too.
 */
export const FIELDS_MAX = 4096

/** Gives a definition back; throws VALIDATION_FAILED where it has too many fields, and more than before. */
export function mustHaveFew(definition: Definition, before?: Definition): Definition {
  const count = ({ fields, objects }: Definition) => fields.length + objects.length
  const most = Math.max(FIELDS_MAX, before === undefined ? 0 : count(before))
  if (count(definition) <= most) return definition
  const message = `must name fewer fields: an index has at most ${FIELDS_MAX}, with objects, what is inside of them, what stands under fields, and the fields that every index has; what need not be searched or typed can do without a mapping`
  throw invalid('mappings.properties', message)
}
