import { ENGLISH_STOP_WORDS } from '../../word.ts'

/** The words in which one query differs from another, in order; neither is empty. */
export interface SynonymPair {
  left: string
  right: string
  /** The queries have a word in common that says something. */
  isShared: boolean
}

/** Words of a side: longer ones are sentences that nobody types twice. */
const WORDS_MAX = 3
/** Words that ask, and say nothing of what for. */
const ASKING =
  'how what where when which who why can could do does did has have i me my need should want we you your from'
const SILENT = new Set([...ENGLISH_STOP_WORDS, ...ASKING.split(' ')])
const NEGATION = new Set('no not non without except never'.split(' '))
/** Addresses and paths name one thing. */
const ADDRESS = /[@\\]|:\/\/|\bwww\.|\w\/\w/

/**
 * The words in which two queries differ, if they may mean the same: neither side says nothing or too much, they are no two
 * forms of one word, they hold the same numbers (another number is another thing), and nothing is negated. Undefined otherwise.
 */
export function synonymPair(from: string, to: string): SynonymPair | undefined {
  if (ADDRESS.test(from) || ADDRESS.test(to)) return undefined
  const [before, after] = [wordsOf(from), wordsOf(to)]
  const isIn = (words: readonly string[], word: string) =>
    words.some((other) => areForms(word, other))
  const left = before.filter((word) => !isIn(after, word))
  const right = after.filter((word) => !isIn(before, word))
  if ([...left, ...right].some((word) => NEGATION.has(word))) return undefined
  const [said, meant] = [left.filter(says), right.filter(says)]
  if (!isSide(said) || !isSide(meant) || numbersOf(said) !== numbersOf(meant)) return undefined
  const isShared = before.some((word) => says(word) && hasLetters(word) && isIn(after, word))
  return { left: said.join(' '), right: meant.join(' '), isShared }
}

/** Whether both sides of a rule that somebody names say something, and not the same. */
export function isSynonymRule(left: string, right: string): boolean {
  const [before, after] = [wordsOf(left), wordsOf(right)]
  if (!before.some(saysInWords) || !after.some(saysInWords)) return false
  const isSame =
    before.length === after.length && before.every((word, at) => areForms(word, after[at] ?? ''))
  return !isSame
}

function isSide(words: readonly string[]): boolean {
  return words.length <= WORDS_MAX && words.some(hasLetters)
}

function says(word: string): boolean {
  return !SILENT.has(word)
}

function saysInWords(word: string): boolean {
  return says(word) && hasLetters(word)
}

function hasLetters(word: string): boolean {
  return /\p{L}/u.test(word)
}

function numbersOf(words: readonly string[]): string {
  return (words.join(' ').match(/\p{N}+/gu) ?? []).join(' ')
}

/** What may follow the part that two forms of one English word have in common: box·es, cit·y, run·ning. */
const ENDING = /^(e?s|e|y|ies|ied|ed|ing|ings|er|ers|[a-z](ed|ing|ings|er|ers))?$/
const COMMON_MIN = 3

/** Whether two words are one, or two forms of it. Near enough: rules that are missed cost little, odd ones are seen. */
function areForms(one: string, other: string): boolean {
  if (one === other) return true
  let common = 0
  while (common < one.length && one[common] === other[common]) common += 1
  return common >= COMMON_MIN && ENDING.test(one.slice(common)) && ENDING.test(other.slice(common))
}

function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/(\p{L})['’]s\b/gu, '$1')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}
