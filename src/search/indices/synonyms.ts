import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { shownName } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

const ARROW = '=>'

/**
 * Throws VALIDATION_FAILED about a rule of synonyms that could mean nothing. Asked when an index is declared and not
 * whenever its definition is compiled: one that was taken before must go on opening.
 */
export function refuseMalformedSynonyms(settings: IndexSettings): void {
  for (const { path, analysis } of sentAnalyses(settings)) {
    refuseIn(`${path}.synonyms`, analysis.synonyms)
    for (const [name, filter] of Object.entries(asObject(analysis.filter) ?? {}))
      refuseIn(`${path}.filter.${shownName(name)}.synonyms`, asObject(filter)?.synonyms)
  }
}

function refuseIn(path: string, rules: unknown): void {
  // Another type is refused where the rules are read.
  if (!Array.isArray(rules)) return
  rules.forEach((rule, at) => {
    const mistake = Array.isArray(rule) ? mistakeInList(rule) : mistakeInText(rule)
    if (mistake !== undefined) throw invalid(`${path}[${at}]`, `${mistake}; ${FORM}`)
  })
}

const FORM =
  'a rule is a list of words, "car, automobile" or ["car", "automobile"], or goes with an arrow, "tv => television"'

/** The core reads a list as the text that its words are with commas between them. */
function mistakeInList(words: unknown[]): string | undefined {
  return words.every((word) => typeof word === 'string')
    ? mistakeInText(words.join(','))
    : 'must hold texts alone'
}

function mistakeInText(rule: unknown): string | undefined {
  if (typeof rule !== 'string') return 'must be a text or a list of texts'
  const sides = rule.split(ARROW)
  if (sides.length > 2) return `must have one ${ARROW}`
  if (sides.length === 1) return mistakeInWords(rule.split(','))
  const [from = [], to = []] = sides.map((side) => side.split(','))
  if (from.every(isEmpty)) return `must have a word before ${ARROW}`
  if (to.every(isEmpty)) return `must have a word behind ${ARROW}`
  return [...from, ...to].some(isEmpty) ? EMPTY : undefined
}

const EMPTY = 'has an empty word between its commas'

function mistakeInWords(words: string[]): string | undefined {
  if (words.every(isEmpty)) return 'must not be empty'
  if (words.some(isEmpty)) return EMPTY
  return words.length === 1 ? 'must have more than one word' : undefined
}

function isEmpty(word: string): boolean {
  return word.trim() === ''
}
