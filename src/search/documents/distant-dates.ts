import { INDEXED_DAYS, isIndexed } from '../date.ts'
import type { Definition } from '../indices/definition.ts'
import { headsOf, type SourcePlace, valuesAt } from './source.ts'

/** Fields whose dates are told of. */
const WARNINGS_MAX = 8

const WHY = `holds a date outside of ${INDEXED_DAYS.first} to ${INDEXED_DAYS.last}: it is kept, and no filter, facet or sort finds it.`

/** What of the dates that a mapping names is kept only. */
export function distantDates(
  source: Record<string, unknown>,
  { fields }: Definition,
  place: SourcePlace,
): string[] {
  const mayHold = headsOf(source)
  const distant = fields.filter(
    ({ name, type, source: path }) =>
      type === 'date' && name === path && mayHold(path) && !valuesAt(source, path).every(isIndexed),
  )
  return distant.slice(0, WARNINGS_MAX).map(({ name }) => `${place}${name} ${WHY}`)
}
