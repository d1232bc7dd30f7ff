import { invalid } from '../../errors.ts'
import type { Definition } from './definition.ts'

/** Throws MAPPING_CONFLICT where a field has two mappings: in the core, which refuses it as well, places are unknown. */
export function refuseMappedTwice({ fields }: Pick<Definition, 'fields'>): void {
  const names = new Set<string>()
  for (const { name } of fields) {
    if (names.has(name))
      throw invalid(
        `mappings.properties.${name}`,
        'is mapped twice: by a name with a dot, and inside of an object or under fields; send one of them',
        'MAPPING_CONFLICT',
      )
    names.add(name)
  }
}
