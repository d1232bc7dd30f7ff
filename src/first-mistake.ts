const QUOTE = 0x22
const BACKSLASH = 0x5c
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const ESCAPE = /\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * Byte position of the first mistake of a text that JSON.parse has refused; V8 tells it for some mistakes
 * only. Reads the text as Latin-1, so that character and byte positions are the same.
 */
export function firstMistake(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  let at = 0
  const space = (): void => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at += 1
  }
  const token = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.test(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const string = (): boolean => {
    if (text[at] !== '"') return false
    at += 1
    // A loop, not a pattern: a text of many megabytes overflows the pattern matcher's stack.
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH ? !token(ESCAPE) : !(code >= 0x20)) return false
      if (code !== BACKSLASH) at += 1
    }
    at += 1
    return true
  }
  const take = (character: string): boolean => {
    space()
    if (text[at] !== character) return false
    at += 1
    return true
  }
  const members = (close: string, member: () => boolean): boolean => {
    if (take(close)) return true
    do if (!member()) return false
    while (take(','))
    return take(close)
  }
  const value = (): boolean => {
    space()
    if (take('[')) return members(']', value)
    if (take('{'))
      return members('}', () => {
        space()
        return string() && take(':') && value()
      })
    return string() || token(WORD) || token(NUMBER)
  }
  if (value()) space()
  return at
}

/**
 * The place of the first mistake for people, who look for it in an editor: its line, and its column in characters,
 * both from 1.
 */
export function placeOfMistake(bytes: Uint8Array): { line: number; column: number } {
  const text = withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const before = text.subarray(0, firstMistake(text)).toString('utf8').split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Some editors put a byte order mark before UTF-8; JSON has none. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes.indexOf('\uFEFF') === 0 ? bytes.subarray(3) : bytes
}
