import { shownName } from '../../../word.ts'
import type { Definition } from '../../indices/definition.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import { indicesText } from './told.ts'

/** A name below that of a mapped field, and what there is instead. */
export interface MissingSubField {
  name: string
  parent: string
  /** Names of the sub-fields that there are. */
  others: string[]
  /** What is wrong with it, in words. */
  what: string
  /** Each of the mappings has the field. */
  isOfAll: boolean
}

/** Characters of a name that is looked through: one that was sent may be a megabyte of dots. */
const NAME_MAX = 512

/**
 * What is known of a name that no mapping has, where what stands before one of its dots is a field
 * of some: it holds no objects.
 */
export function missingSubField(
  name: string,
  entries: readonly IndexEntry[],
): MissingSubField | undefined {
  if (name.length > NAME_MAX) return undefined
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const parent = name.slice(0, dot)
    const having = entries.filter(({ definition }) => isField(parent, definition))
    if (having.length === 0) continue
    const others = having.flatMap(({ definition }) =>
      definition.fields.filter((field) => field.source === parent && field.name !== parent),
    )
    const sub = shownName(name.slice(dot + 1))
    const what = `"${shownName(parent)}" has no sub-field "${sub}" in the mapping of ${indicesText(having)}`
    const isOfAll = having.length === entries.length
    return { name, parent, others: [...new Set(others.map((field) => field.name))], what, isOfAll }
  }
  return undefined
}

/** Whether a mapping has a field of this name, which is no other reading of another one. */
function isField(name: string, { fields }: Definition): boolean {
  return fields.some((field) => field.name === name && field.source === name)
}
