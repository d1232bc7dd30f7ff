import { isUtf8 } from 'node:buffer'

/** Read as UTF-8, other codings would lose their letters without a word: `Müller` of Latin-1 is stored as `M�ller`. */
export const NOT_UTF8 = 'not UTF-8; save or convert the file as UTF-8 first'

/** The text of whole bytes, without a byte order mark; undefined where they are not UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString().replace(/^\uFEFF/, '') : undefined
}

/** The text of a file that is read whole. */
export async function readText(input: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(chunk)
  return utf8Text(Buffer.concat(chunks))
}

/** Looks through bytes that come in pieces; throws where they are not UTF-8, `end` where the last letter is cut off. */
export function openUtf8Check(): { take: (bytes: Buffer) => void; end: () => void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Buffer) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new Error(`it is ${NOT_UTF8}`, { cause })
    }
  }
  return { take: decode, end: () => decode() }
}
