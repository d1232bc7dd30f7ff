import { beginningOf } from '../../word.ts'

/** What is told of texts that a client sent in vain: it may send thousands, and each as long as a body. */
const TEXTS_TOLD_MAX = 20
const CHARACTERS_MAX = 256

/** The first of these texts, the beginning of each, and how many others there are. */
export function someTold(texts: readonly string[]): { told: string[]; others: number } {
  const told = texts.slice(0, TEXTS_TOLD_MAX).map((text) => beginningOf(text, CHARACTERS_MAX))
  return { told, others: texts.length - told.length }
}

/** The same as a part of a sentence. */
export function someListed(texts: readonly string[]): string {
  const { told, others } = someTold(texts)
  return told.join(', ') + (others === 0 ? '' : ` and ${others} more`)
}
