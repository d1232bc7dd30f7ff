import { invalid } from '../errors.ts'
import { isWellFormed } from '../json/well-formed.ts'
import { DOCUMENT_ID_BYTES_MAX } from '../schema/document-id.ts'

/** Gives a document's id back; throws VALIDATION_FAILED about its place for one that no document can have. */
export function mustBeId(id: string, path = 'id'): string {
  const bytes = Buffer.byteLength(id)
  if (bytes < 1 || bytes > DOCUMENT_ID_BYTES_MAX || !isWellFormed(id))
    throw invalid(path, `must be 1 to ${DOCUMENT_ID_BYTES_MAX} bytes of UTF-8`)
  return id
}
