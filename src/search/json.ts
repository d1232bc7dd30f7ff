/**
 * A value as JSON that every reader of UTF-8 takes: half a surrogate pair, such as a cut-off emoji leaves
 * behind, becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes('\\ud')) return json
  // JSON.stringify escapes surrogates only when they stand alone; `\\` is a backslash of the text.
  return json.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (part) =>
    part === '\\\\' ? part : '\ufffd',
  )
}

/** Whether a text can be written as UTF-8 and read back the same. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
