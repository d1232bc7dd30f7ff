import { DOUBTFUL_MOMENT, isDoubtfulMoment } from '../../doubtful-moment.ts'
import { TOLD_MAX } from '../../word.ts'
import type { Definition } from '../indices/definition.ts'
import { headsOf, type SourcePlace, valuesAt } from './source.ts'

/** What of the dates that a mapping names is most likely another date than was meant. */
export function doubtfulDates(
  source: Record<string, unknown>,
  { fields }: Definition,
  place: SourcePlace,
): string[] {
  const mayHold = headsOf(source)
  const told: string[] = []
  for (const { name, type, source: path } of fields) {
    if (type !== 'date' || name !== path || !mayHold(path)) continue
    if (valuesAt(source, path).some(isDoubtfulMoment))
      told.push(`${place}${name}: ${DOUBTFUL_MOMENT}.`)
    if (told.length >= TOLD_MAX) break
  }
  return told
}
