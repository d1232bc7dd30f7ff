import { invalid } from '../../errors.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { FieldDefinition } from '../indices/mapped-field.ts'
import type { CoreRequest } from './core-request.ts'

/** Fields that a refusal names instead. */
const NAMED_MAX = 8

/**
 * Throws VALIDATION_FAILED for a sort or facet on analysed text, which has words and no value, and says which field to
 * use instead.
 */
export function refuseAnalysed(
  { sort = [], facets = [] }: CoreRequest,
  entries: IndexEntry[],
): void {
  for (const { field } of sort) refuseField('sort', field, entries)
  for (const { field } of facets) refuseField('facets', field, entries)
}

/** The same for a range, where no searched index has another field of the same values, by which the core then goes. */
export function refuseRange(path: string, name: string, entries: IndexEntry[]): void {
  let text: FieldDefinition | undefined
  let own: FieldDefinition[] = []
  for (const { definition } of entries) {
    own = definition.fields
    text = own.find((known) => known.name === name)
    const isExact = ({ type, source }: FieldDefinition) =>
      type === 'keyword' && source === text?.source
    if (text?.type !== 'text' || own.some(isExact)) return
  }
  if (text === undefined) return
  throw invalid(path, `can't be a range: ${name} is analysed text; ${advice(text, own)}`)
}

function refuseField(path: 'sort' | 'facets', name: string, entries: IndexEntry[]): void {
  for (const { definition, record } of entries) {
    const { fields } = definition
    const field = fields.find((known) => known.name === name)
    if (field?.type !== 'text') continue
    throw invalid(
      path,
      `can't use ${name}, analysed text of ${record.name}: ${advice(field, fields)}`,
    )
  }
}

/** A field with the same values, else those that would do. */
function advice({ name, source }: FieldDefinition, fields: FieldDefinition[]): string {
  const usable = fields.filter(({ type }) => type !== 'text')
  const same = usable.find((field) => field.source === source)
  if (same !== undefined) return `use ${same.name}, which has the same values`
  const names = usable.slice(0, NAMED_MAX).map((field) => field.name)
  return `map a keyword sub-field of ${name} and use that, or use ${names.join(', ')}`
}
