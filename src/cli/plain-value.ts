/**
 * A word of a file or a command line as the value that it plainly is: "12" and "12.50" are numbers; "007", "1e3", and
 * what has more figures than a number can hold are not: a number would no longer tell what was written.
 */
export function plainValue(word: string): string | number | boolean {
  if (word === 'true' || word === 'false') return word === 'true'
  const number = Number(word)
  return Number.isFinite(number) && String(number) === withoutLastZeros(word) ? number : word
}

/** "12.50" as "12.5", "12.00" as "12": prices are written so. */
function withoutLastZeros(word: string): string {
  const [, whole, part] = /^(-?\d+)\.(\d*?)0+$/.exec(word) ?? []
  if (whole === undefined) return word
  return part === '' ? whole : `${whole}.${part}`
}
