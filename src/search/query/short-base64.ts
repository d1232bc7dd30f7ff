/** Most characters that are read here: the call of the platform's own reader costs as much as some hundreds. */
const SHORT_MAX = 1024
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const digits = new Uint8Array(128)
for (let digit = 0; digit < ALPHABET.length; digit++) digits[ALPHABET.charCodeAt(digit)] = digit

/**
 * Writes the bytes of base64 with its padding into a buffer from its beginning on; what lies up to two bytes behind them
 * is overwritten.
 */
export function readBase64(text: string, into: Buffer): void {
  if (text.length > SHORT_MAX) {
    into.write(text, 'base64')
    return
  }
  let end = 0
  for (let at = 0; at < text.length; at += 4) {
    const bits = (digitAt(text, at) << 18) | (digitAt(text, at + 1) << 12)
    const all = bits | (digitAt(text, at + 2) << 6) | digitAt(text, at + 3)
    into[end] = all >> 16
    into[end + 1] = all >> 8
    into[end + 2] = all
    end += 3
  }
}

/** Padding counts as 0. */
function digitAt(text: string, at: number): number {
  return digits[text.charCodeAt(at)] as number
}
