import { DOUBTFUL_MOMENT, isDoubtfulMoment } from '../../doubtful-moment.ts'
import { TOLD_MAX } from '../../word.ts'
import { INDEXED_DAYS, isIndexed } from '../date.ts'
import type { Definition } from '../indices/definition.ts'
import { headsOf, type SourcePlace, valuesAt } from './source.ts'

const WHY = `holds a date outside of ${INDEXED_DAYS.first} to ${INDEXED_DAYS.last}: it is kept, and no filter, facet or sort finds it.`

/** What of the dates that a mapping names is kept only, or is most likely another date than was meant. */
export function doubtfulDates(
  source: Record<string, unknown>,
  { fields }: Definition,
  place: SourcePlace,
): string[] {
  const mayHold = headsOf(source)
  const told: string[] = []
  for (const { name, type, source: path } of fields) {
    if (type !== 'date' || name !== path || !mayHold(path)) continue
    const values = valuesAt(source, path)
    if (!values.every(isIndexed)) told.push(`${place}${name} ${WHY}`)
    if (values.some(isDoubtfulMoment)) told.push(`${place}${name}: ${DOUBTFUL_MOMENT}.`)
    if (told.length >= TOLD_MAX) break
  }
  return told
}
