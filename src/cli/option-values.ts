import { InvalidArgumentError } from 'commander'

/** Reads a whole number that is not smaller than this. */
export function wholeFrom(min: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !Number.isInteger(number) || number < min)
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`)
    return number
  }
}

/** Adds a pair `from=to` to those that were given before. */
export function mapped(text: string, map: ReadonlyMap<string, string>): Map<string, string> {
  const [, from, to] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (from === undefined || to === undefined)
    throw new InvalidArgumentError('It must read from=to, as in --map body=content.')
  // As one field it would be called by all that follows, and what was meant would go unsaid.
  if (/,[^,=]+=/.test(to))
    throw new InvalidArgumentError('Give --map once for each field: --map sku=id --map name=title.')
  return new Map([...map, [from, to]])
}

/** Adds a value to those that were given before. */
export function appended(text: string, list: string[]): string[] {
  return [...list, text]
}
