/** Fields of every index's default mapping that hold words. */
const FIELDS = ['title', 'content', 'abstract', 'authors', 'tags', 'source']
/** What these are called besides. */
const OTHER_NAMES = new Map([
  ['author', 'authors'],
  ['tag', 'tags'],
  ['body', 'content'],
])

/** The field that a pattern's text names: `field:NAME`, or the name of a default field among its words. */
export function readField(text: string): string | undefined {
  const named = /^field:(.+)$/i.exec(text)?.[1]?.trim()
  if (named !== undefined) return named
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.map((word) => OTHER_NAMES.get(word) ?? word).find((word) => FIELDS.includes(word))
}
