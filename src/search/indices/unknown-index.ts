import { invalid } from '../../errors.ts'
import { nearestName } from '../../nearest-name.ts'
import { shownName } from '../../word.ts'

const LISTED = '; GET /cortex/indices lists them'

/** INDEX_NOT_FOUND about the place where a name was sent. */
export function notFound(path = 'index', more = LISTED): Error {
  return invalid(path, `is not the name of an index${more}`, 'INDEX_NOT_FOUND')
}

/** Which name was sent, and which one is most like it. */
export function unlistedBut(sent: string, known: Iterable<string>): string {
  const nearest = nearestName(sent, known)
  const but = nearest === undefined ? '' : `, but "${nearest}"`
  return `: there is no "${shownName(sent)}"${but}${LISTED}`
}
