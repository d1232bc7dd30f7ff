import { invalid } from '../../errors.ts'

/**
 * The words that a list is filtered by, in upper case: each may be sent by itself or with others behind commas.
 * Undefined when no word is named, which asks for everything.
 */
export function wordsOf(sent: readonly string[] | undefined): string[] | undefined {
  const all = sent?.flatMap((list) => list.split(',')).map((word) => word.trim().toUpperCase())
  const named = all?.filter((word) => word !== '') ?? []
  return named.length === 0 ? undefined : named
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
