import type { BenchDocument } from './beir.ts'

/** A stream of numbers in [0, 1) that depends on the seed alone (splitmix32). */
export type Random = () => number

/** Makes the stream of `seed`. */
export function randomOf(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed = mixed ^ (mixed >>> 15)
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/** A synthetic document: Zipf text of about 200 words, one of fifty categories, a uniform number in [0, 1). */
export interface SyntheticDocument extends BenchDocument {
  abstract: string
  tags: string[]
  r: number
}

/** An endless synthetic collection; the same seed gives the same documents and queries. */
export interface Synthetic {
  document: (number: number) => SyntheticDocument
  query: (number: number) => string
}

const WORDS = 50_000
const TOPIC_WORDS = 8
/** Share of a text's words that come from the document's own topic, so that meaning has something to find. */
const TOPIC_SHARE = 0.3

/**
 * Text with Zipf word frequencies (rank offset 2.7) over 50 000 made-up words; title, abstract and content
 * have 8, 60 and 132 words. Queries have 2 to 5 words from ranks 10 to 5 000, drawn evenly in the logarithm.
 */
export function openSynthetic(seed: number): Synthetic {
  const words = makeWords(randomOf(seed))
  const shares = makeShares()
  const middling = (random: Random) => words[Math.floor(10 * 500 ** random())] ?? ''
  const text = (random: Random, topic: string[], length: number) =>
    Array.from({ length }, () =>
      random() < TOPIC_SHARE
        ? (topic[Math.floor(random() * TOPIC_WORDS)] ?? '')
        : (words[rankOf(shares, random())] ?? ''),
    ).join(' ')
  return {
    document: (number) => {
      const random = randomOf(Math.imul(number + 1, 7919) ^ seed)
      const topic = Array.from({ length: TOPIC_WORDS }, () => middling(random))
      return {
        id: `s${number}`,
        title: text(random, topic, 8),
        abstract: text(random, topic, 60),
        content: text(random, topic, 132),
        tags: [`cat${String(Math.floor(random() ** 2 * 50)).padStart(2, '0')}`],
        r: random(),
      }
    },
    query: (number) => {
      const random = randomOf(Math.imul(number + 1, 104_729) ^ ~seed)
      const length = 2 + Math.floor(random() * 4)
      return Array.from({ length }, () => middling(random)).join(' ')
    },
  }
}

const STARTS = 'b c d f g h k l m n p r s t v z br st tr pl'.split(' ')
const VOWELS = 'a e i o u ai ou'.split(' ')
const ENDS = ['', ...'n r s l x ng tion ing ed'.split(' ')]

function makeWords(random: Random): string[] {
  const pick = (list: string[]) => list[Math.floor(random() * list.length)] ?? ''
  const words = new Set<string>()
  while (words.size < WORDS) {
    const syllables = Array.from(
      { length: 2 + Math.floor(random() * 3) },
      () => pick(STARTS) + pick(VOWELS),
    )
    words.add(syllables.join('') + pick(ENDS))
  }
  return [...words]
}

function makeShares(): Float64Array {
  const shares = new Float64Array(WORDS)
  let sum = 0
  for (let rank = 0; rank < WORDS; rank++) {
    sum += 1 / (rank + 2.7)
    shares[rank] = sum
  }
  return shares.map((share) => share / sum)
}

function rankOf(shares: Float64Array, point: number): number {
  let low = 0
  let high = shares.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((shares[middle] ?? 1) < point) low = middle + 1
    else high = middle
  }
  return low
}
