/**
 * A value as JSON that every reader of UTF-8 takes: half a surrogate pair, such as a cut-off emoji leaves
 * behind, becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes('\\ud')) return json
  // Texts by themselves first: of millions of halves, each would else be a call of its own.
  const mended = JSON.stringify(value, wellFormed)
  if (!mended.includes('\\ud')) return mended
  // What is left is in names, or no half at all: JSON.stringify escapes surrogates only when they stand alone; `\\` is a
  // backslash of the text.
  return mended.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (part) =>
    part === '\\\\' ? part : '\ufffd',
  )
}

/** Node has it from version 20 on. */
type Mendable = string & { toWellFormed: () => string }

function wellFormed(_name: string, held: unknown): unknown {
  return typeof held === 'string' ? (held as Mendable).toWellFormed() : held
}

/** Whether a text can be written as UTF-8 and read back the same. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
