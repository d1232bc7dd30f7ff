// Of this file, as in the others that read JSON byte by byte: V8 loads a constant of another module anew for each byte.
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** How far an item is looked through. */
export interface ScanState {
  at: number
  depth: number
  inString: boolean
}

/** The first, or the last, comma before a place that separates the items themselves; -1 if there is none. */
export function comma(
  text: Uint8Array,
  limit: number,
  state: ScanState,
  which: 'first' | 'last',
): number {
  let { at, depth, inString } = state
  let found = -1
  for (; at < limit; at += 1) {
    const byte = text[at] as number
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
    else if (byte === COMMA && depth === 0) {
      found = at
      if (which === 'first') break
    }
  }
  // Behind the limit, if an escape is the last there.
  state.at = at
  state.depth = depth
  state.inString = inString
  return found
}
