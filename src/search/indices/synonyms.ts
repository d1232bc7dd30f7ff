import { openBreath } from '../../breath.ts'
import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { openSynonymLists, sidesOf } from '../../synonym-rule.ts'
import { shownName } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

/** An index reads its rules whenever it is opened. */
const MOST = { othersMax: 500, pairsMax: 500_000, bothWays: true }

/**
 * Throws VALIDATION_FAILED about a rule of synonyms that could mean nothing, or that makes too much of them, with turns for
 * others: there may be a hundred thousand. Asked when an index is declared and not whenever its definition is compiled: one
 * that was taken before must go on opening.
 */
export async function refuseMalformedSynonyms(
  settings: IndexSettings,
  breathe = openBreath(),
): Promise<void> {
  for (const { path, analysis } of sentAnalyses(settings)) {
    const openList = openSynonymLists(MOST)
    const refuseIn = async (path: string, rules: unknown): Promise<void> => {
      // Another type is refused where the rules are read.
      if (!Array.isArray(rules)) return
      // A mistake is told before what is too much, wherever they stand.
      for (const mistakeOf of [mistakeIn, openList()])
        for (const [at, rule] of rules.entries()) {
          const mistake = mistakeOf(rule)
          if (mistake !== undefined) throw invalid(`${path}[${at}]`, mistake)
          const turn = breathe()
          if (turn !== undefined) await turn
        }
    }
    await refuseIn(`${path}.synonyms`, analysis.synonyms)
    for (const [name, filter] of Object.entries(asObject(analysis.filter) ?? {}))
      await refuseIn(`${path}.filter.${shownName(name)}.synonyms`, asObject(filter)?.synonyms)
  }
}

const FORM =
  'a rule is a list of words, "car, automobile" or ["car", "automobile"], or goes with an arrow, "tv => television"'

function mistakeIn(rule: unknown): string | undefined {
  const mistake = malformed(rule)
  return mistake === undefined ? undefined : `${mistake}; ${FORM}`
}

function malformed(rule: unknown): string | undefined {
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
