import { invalid, type ServiceError } from '../../errors.ts'
import { shownName } from '../../word.ts'

const CODE = 'DOCUMENT_NOT_FOUND'

/** DOCUMENT_NOT_FOUND about an id, without the id itself; `elsewhere` is the name of another index that has it. */
export function notInIndex(elsewhere?: string): ServiceError {
  const other = elsewhere === undefined ? '' : `, but of one of "${shownName(elsewhere)}"`
  return invalid('id', `is not the id of a document of this index${other}`, CODE)
}

/** As `notInIndex`, where no index was named. */
export function notInAny(): ServiceError {
  return invalid('id', 'is not the id of a document in any index', CODE)
}
