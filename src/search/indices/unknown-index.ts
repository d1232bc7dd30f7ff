import { invalid, type ServiceError } from '../../errors.ts'
import { nearestName } from '../../nearest-name.ts'

const LISTED = '; GET /cortex/indices lists them'

/** INDEX_NOT_FOUND about the place where a name was sent, without the name: refusals repeat nothing of what was sent. */
export function unknownIndex(path = 'index', more = LISTED): ServiceError {
  return invalid(path, `is not the name of an index${more}`, 'INDEX_NOT_FOUND')
}

/** What other search engines take for several indices, or all; no index can have such a name. */
const PATTERN = /\*|^_all$/
const NOT_EMPTY = ', for it is empty: name one, or none to search all'
const NO_PATTERN = ', nor are patterns: name each one, or none to search all'

/** Which name is most like the one that was sent. */
export function unlistedBut(sent: string, known: Iterable<string>): string {
  if (sent === '') return `${NOT_EMPTY}${LISTED}`
  if (PATTERN.test(sent)) return `${NO_PATTERN}${LISTED}`
  const nearest = nearestName(sent, known)
  return nearest === undefined ? LISTED : `, but "${nearest}" is${LISTED}`
}

/** Why no index is made; by its name where the name is a setting, which the request may not have said. */
export function unmade(name: string, defaultIndex: string): string {
  const which = name === defaultIndex ? `: there is no "${name}"` : ''
  return `${which}, and AUTO_CREATE_INDEX is off: create it first`
}
