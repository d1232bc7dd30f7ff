import { DOUBTFUL_MOMENT, isDoubtfulMoment } from '../../../doubtful-moment.ts'
import { shownName } from '../../../word.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import type { CoreRequest } from '../core-request.ts'
import { BOUNDS, type FilterNode } from '../filter.ts'
import { tell, type Warned } from './told.ts'

/** Tells of dates that filters and ranges of facets compare with a number that is most likely a year, or seconds. */
export function tellDoubtfulMoments(
  { filter, facets = [] }: CoreRequest,
  entries: readonly IndexEntry[],
  told: Warned,
): void {
  const isDate = (field: string) =>
    entries.some(({ definition }) => definition.types.get(field) === 'date')
  const places = new Set<string>()
  if (filter !== undefined) noteFiltered(filter, isDate, places)
  for (const { field, ranges = [] } of facets)
    if (ranges.some(({ from, to }) => [from, to].some(isDoubtfulMoment)) && isDate(field))
      places.add(`facets.${shownName(field)}.ranges`)
  for (const place of places) tell(told, () => `${place}: ${DOUBTFUL_MOMENT}.`)
}

function noteFiltered(
  node: FilterNode,
  isDate: (field: string) => boolean,
  places: Set<string>,
): void {
  if ('and' in node) for (const each of node.and) noteFiltered(each, isDate, places)
  else if ('or' in node) for (const each of node.or) noteFiltered(each, isDate, places)
  else if ('not' in node) noteFiltered(node.not, isDate, places)
  else if ('field' in node && !('exists' in node)) {
    const values = 'any' in node ? node.any : BOUNDS.map((bound) => node[bound])
    if (values.some(isDoubtfulMoment) && isDate(node.field))
      places.add(`filters.${shownName(node.field)}`)
  }
}
