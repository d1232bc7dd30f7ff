/**
 * The words that a list is filtered by, in upper case: each may be sent by itself or with others behind commas.
 * Undefined when no word is named, which asks for everything.
 */
export function wordsOf(sent: readonly string[] | undefined): string[] | undefined {
  const all = sent?.flatMap((list) => list.split(',')).map((word) => word.trim().toUpperCase())
  const named = all?.filter((word) => word !== '') ?? []
  return named.length === 0 ? undefined : named
}
