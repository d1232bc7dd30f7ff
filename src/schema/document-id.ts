/** Bytes of the longest id that a document can have, in UTF-8. */
export const DOCUMENT_ID_BYTES_MAX = 512
