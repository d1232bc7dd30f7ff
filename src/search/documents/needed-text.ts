import { invalid, type ServiceError } from '../../errors.ts'
import { type Definition, FOR_TEXTS } from '../indices/definition.ts'
import { valuesAt } from './source.ts'

/** Fields of every document one of which is enough, whatever type of text the mapping gives it. */
const TEXTS = ['title', 'content', 'abstract']

/** At least one of title, content, abstract, or of the mapping's own text fields, must say something. */
export function hasText(source: Record<string, unknown>, { fields }: Definition): boolean {
  const says = (field: string) =>
    valuesAt(source, field).some((value) => typeof value === 'string' && value.trim() !== '')
  return TEXTS.some(says) || fields.some((field) => field.type === 'text' && says(field.source))
}

/** Text fields that a refusal names. */
const NAMED_MAX = 10

/** What a change is told that would make a new document. */
export const IS_NEW = '; no document has this id, so that this would be a new one'

/** VALIDATION_FAILED about a document without text: it names the fields that may hold some. */
export function noText({ fields }: Definition, why = ''): ServiceError {
  // The words of a number are no text of the document, though a sub-field may read them.
  const isTold = (own: string) =>
    fields.every(({ name, type }) => name !== own || FOR_TEXTS.includes(type))
  const texts = fields.filter(({ type }) => type === 'text').map(({ source }) => source)
  const names = [...new Set([...TEXTS, ...texts])].filter(isTold)
  if (names.length === 0)
    return invalid(
      'document',
      "needs text, but its index's mapping has no field for it; use an index whose mapping has one",
    )
  const named = names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX), '…'] : names
  const wanted = `must have at least one of ${named.join(', ')} that is not empty`
  return invalid('document', `${wanted}${why}`)
}
