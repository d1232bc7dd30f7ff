import { invalid } from '../../errors.ts'

/**
 * The words that a list is filtered by, in upper case: each may be sent by itself or with others behind commas.
 * Undefined when no word is named, which asks for everything.
 */
export function wordsOf(sent: readonly string[] | undefined): string[] | undefined {
  return named(sent?.flatMap((list) => list.split(',')))
}

/** As `wordsOf`, where a word may have commas itself, since clients make their own: a whole list asks for such a one, too. */
export function openWordsOf(sent: readonly string[] | undefined): string[] | undefined {
  const words = wordsOf(sent)
  const wholes = named(sent?.filter((list) => list.includes(',')))
  return words === undefined || wholes === undefined ? words : [...words, ...wholes]
}

function named(sent: readonly string[] | undefined): string[] | undefined {
  const words = sent?.map((word) => word.trim().toUpperCase()).filter((word) => word !== '') ?? []
  return words.length === 0 ? undefined : words
}

/** As `wordsOf`, where only some words are known: throws VALIDATION_FAILED, which lists them, for any other. */
export function knownWordsOf(
  path: string,
  sent: readonly string[] | undefined,
  known: readonly string[],
): string[] | undefined {
  const words = wordsOf(sent)
  if (words?.every((word) => known.includes(word)) === false)
    throw invalid(path, `must be one of ${known.join(', ')}`)
  return words
}
