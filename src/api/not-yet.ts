import { serviceError } from '../errors.ts'
import { FreeForm } from '../schema/common.ts'

interface NotYet {
  tag: 'learning'
  reply: typeof FreeForm
  errors: string[]
  handle: () => never
}

/** What the routes of the learning side have in common until it is there: checked input, then 501. */
export const notYet: NotYet = {
  tag: 'learning',
  reply: FreeForm,
  errors: ['NOT_YET'],
  handle: () => {
    throw serviceError('NOT_YET', 'The learning side of this service is not there yet.')
  },
}
