import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../../errors.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { lowerWord } from '../../word.ts'
import { lengthOf, WORD_LENGTH } from './analysis-parts.ts'
import { gramLengths } from './grams.ts'
import { sentAnalyses } from './sent-analysis.ts'

type Shape = Record<string, unknown>

/** What one setting may be called, as paths below `settings`. */
const SPELLINGS = [
  ['shards', 'number_of_shards', 'index.shards', 'index.number_of_shards'],
  ['replication', 'number_of_replicas', 'index.replication', 'index.number_of_replicas'],
  ['analysis', 'index.analysis'],
  ['analysis.stopWords', 'analysis.stop_words', 'analysis.stopwords'],
  ['index.analysis.stopWords', 'index.analysis.stop_words', 'index.analysis.stopwords'],
]

/**
 * Throws VALIDATION_FAILED about settings of a new index of which only one can hold. Asked when an index is declared
 * and not whenever its definition is compiled: one that was taken before must go on opening.
 */
export function refuseContradictions(settings: IndexSettings): void {
  for (const spellings of SPELLINGS) {
    const [first, ...others] = spellings.filter((path) => at(settings, path) !== undefined)
    if (first === undefined) continue
    for (const other of others)
      if (!isDeepStrictEqual(at(settings, other), at(settings, first)))
        throw invalid(`settings.${other}`, `contradicts settings.${first}; send one of them`)
  }
  for (const { path, analysis } of sentAnalyses(settings)) {
    for (const [name, tokenizer] of Object.entries(shapeOrNone(analysis.tokenizer)))
      refuseLengths(`${path}.tokenizer.${name}`, shapeOrNone(tokenizer))
    for (const [name, filter] of Object.entries(shapeOrNone(analysis.filter)))
      refuseLeast(`${path}.filter.${name}`, name, shapeOrNone(filter))
  }
}

/** A least length of words that is none, or by which a filter would let none pass. */
function refuseLeast(path: string, name: string, { type, min, max }: Shape): void {
  if (min === undefined || lowerWord(type ?? name) !== 'length') return
  const [least, most] = [lengthOf(min), lengthOf(max ?? WORD_LENGTH)]
  if (!Number.isInteger(least) || least < 0) throw invalid(`${path}.min`, 'must be a whole number')
  const own = max === undefined ? `, which is ${WORD_LENGTH} where none is sent` : ''
  if (least > most) throw invalid(`${path}.min`, `must be at most its max${own}`)
}

/** How many lengths the tokenizer `ngram` may cut at each letter: a text of words is as many times as long in the index. */
const GRAM_LENGTHS_MAX = 20

function refuseLengths(path: string, { type, min_gram: least, max_gram: most }: Shape): void {
  if (least !== undefined && most !== undefined && lengthOf(least) > lengthOf(most))
    throw invalid(`${path}.min_gram`, 'must be at most its max_gram')
  const { shortest, longest } = gramLengths(least, most)
  if (lowerWord(type) !== 'ngram' || !(longest - shortest >= GRAM_LENGTHS_MAX)) return
  const limit = `an ngram tokenizer cuts ${GRAM_LENGTHS_MAX} lengths at most`
  throw invalid(
    `${path}.max_gram`,
    `must be at most ${shortest + GRAM_LENGTHS_MAX - 1}, with a min_gram of ${shortest}: ${limit}; raise min_gram, lower max_gram, or use edge_ngram`,
  )
}

function at(settings: IndexSettings, path: string): unknown {
  return path.split('.').reduce((inner: unknown, name) => shapeOrNone(inner)[name], settings)
}

/** An object as a shape. Nothing contradicts what is no object; its type is refused where it is read. */
function shapeOrNone(sent: unknown): Shape {
  return typeof sent === 'object' && sent !== null ? (sent as Shape) : {}
}
