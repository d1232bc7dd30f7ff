/** Lucene's 33 English stop words. */
export const ENGLISH_STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  )

/** What was sent where a word belongs, as text; empty for an object or a list, which has no text of its own. */
export function wordOf(sent: unknown): string {
  return typeof sent === 'object' && sent !== null ? '' : String(sent)
}

/** What was sent for a word of a closed list, which may come in any case. */
export function lowerWord(sent: unknown): string {
  return wordOf(sent).toLowerCase()
}

/** One spelling of a word of several: `greaterThan`, `greater_than`, `Greater than` and `greater-than` are one. */
export function plainWord(sent: unknown): string {
  return lowerWord(sent).replaceAll(/[\s_-]/g, '')
}

/** The first characters of a text, none cut in half: UTF-8 has no way to write half a character. */
export function beginningOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/\p{Surrogate}$/u, '')
}

/** Names, or mistakes of one kind, that one answer tells of: a client may send thousands, or make the same one in each entry. */
export const TOLD_MAX = 8

/** Characters of a name that an answer repeats: a client may send a megabyte of them. */
const SHOWN_MAX = 64

/** A name that was sent, as answers repeat it. */
export function shownName(name: string): string {
  return beginningOf(name, SHOWN_MAX)
}
