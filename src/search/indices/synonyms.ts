import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { openSynonymCheck, sidesOf } from '../../synonym-rule.ts'
import { shownName } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

/** An index reads its rules whenever it is opened. */
const MOST = { othersMax: 500, pairsMax: 500_000, bothWays: true }

/**
 * Throws VALIDATION_FAILED about a rule of synonyms that could mean nothing, or that makes too much of them. Asked when an index is declared and not
 * whenever its definition is compiled: one that was taken before must go on opening.
 */
export function refuseMalformedSynonyms(settings: IndexSettings): void {
  for (const { path, analysis } of sentAnalyses(settings)) {
    const check = openSynonymCheck(MOST)
    const refuseIn = (path: string, rules: unknown): void => {
      // Another type is refused where the rules are read.
      if (!Array.isArray(rules)) return
      refuseMistakes(path, rules)
      const excess = check(rules)
      if (excess !== undefined) throw invalid(`${path}[${excess.at}]`, excess.means)
    }
    refuseIn(`${path}.synonyms`, analysis.synonyms)
    for (const [name, filter] of Object.entries(asObject(analysis.filter) ?? {}))
      refuseIn(`${path}.filter.${shownName(name)}.synonyms`, asObject(filter)?.synonyms)
  }
}

function refuseMistakes(path: string, rules: unknown[]): void {
  rules.forEach((rule, at) => {
    const mistake = mistakeIn(rule)
    if (mistake !== undefined) throw invalid(`${path}[${at}]`, `${mistake}; ${FORM}`)
  })
}

const FORM =
  'a rule is a list of words, "car, automobile" or ["car", "automobile"], or goes with an arrow, "tv => television"'

function mistakeIn(rule: unknown): string | undefined {
  const sides = sidesOf(rule)
  if (sides === undefined)
    return Array.isArray(rule) ? 'must hold texts alone' : 'must be a text or a list of texts'
  if (sides.length > 2) return 'must have one =>'
  const [from = [], to] = sides
  if (to === undefined) return mistakeInWords(from)
  if (from.every(isEmpty)) return 'must have a word before =>'
  if (to.every(isEmpty)) return 'must have a word behind =>'
  return [...from, ...to].some(isEmpty) ? EMPTY : undefined
}

const EMPTY = 'has an empty word between its commas'

function mistakeInWords(words: string[]): string | undefined {
  if (words.every(isEmpty)) return 'must not be empty'
  if (words.some(isEmpty)) return EMPTY
  return words.length === 1 ? 'must have more than one word' : undefined
}

function isEmpty(word: string): boolean {
  return word === ''
}
