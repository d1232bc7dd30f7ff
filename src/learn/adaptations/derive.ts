import { QUERY_CHARACTERS_MAX } from '../../schema/common.ts'
import type { Suggestion } from '../../schema/suggestion.ts'
import type { Tuning } from '../../schema/tuning.ts'
import type { QueryEvidence } from '../patterns/evidence.ts'
import { someListed } from '../wire/some-told.ts'
import { inItsIndex, liveDocuments } from './live-documents.ts'
import { readField } from './pattern-field.ts'
import { isSynonymRule } from './synonym-pair.ts'

/** What a suggestion's patterns come to. */
export interface Derived {
  /** A tuning; undefined when the patterns can't be judged. */
  changes: Record<string, unknown> | undefined
  description: string
}

type Patterns = Suggestion['patterns']

/** Figures below these ask for a change. */
const RELEVANCE_MIN = 0.5
const CLICK_RATE_MIN = 0.1
/** A query's own figures count from so many searches on. */
const SEARCHES_MIN = 10
/** Added to the score of the document with most clicks; others in proportion. */
const BOOST_MAX = 0.2
const BOOSTED_DOCUMENTS_MAX = 5
/** Weights of the legs; where a search sends only one of them, .75 and .25 stand for the other. */
const TOWARDS_MEANING = { text: 0.6, vector: 0.4 }
const TOWARDS_WORDS = { text: 0.85, vector: 0.15 }
/** Factors of a field's weight. */
const FIELD_UP = 1.5
const FIELD_DOWN = 0.5

/**
 * The change that patterns ask for; the same patterns and evidence give the same change.
 *
 * | patterns | change |
 * |---|---|
 * | relevance under .5, clicks under .1 or `requiresOptimization`, and documents of the query were clicked | `boosts` for these, by their clicks |
 * | relevance under .5, no such documents | `legWeights` towards meaning (.6 text, .4 vector) |
 * | relevance good or unknown, clicks too few, no such documents | `legWeights` towards words (.85, .15) |
 * | figures are good | `boosts` for what was clicked, else `learning` on: keeps what works |
 * | a field among the positive ones · negative ones | `fieldWeights` × 1.5 · × .5 |
 * | `document:ID`, or a clicked document · negative | `boosts` + .2 · − .2 |
 * | `a => b`, `a = b` among the positive ones, of words that say something and not the same | `synonyms` |
 * | words for exact · semantic matching (swapped when negative) | `legWeights` towards words · meaning |
 * | other texts, also such pairs that are longer than a query may be | nothing; when all are such, `learning` on |
 * | only neutral ones, or `requiresOptimization` alone with no evidence | can't be judged |
 */
export function deriveChanges(patterns: Patterns, evidence: QueryEvidence | undefined): Derived {
  const byFigures = hasFigures(patterns) ? fromFigures(patterns, evidence) : undefined
  const byLists = fromLists(patterns, evidence)
  if (byFigures === undefined && byLists === undefined)
    return { changes: undefined, description: 'There is nothing to judge the patterns by yet.' }
  const named = { ...byFigures?.changes, ...byLists?.changes }
  const { learning: _, ...settings } = named
  const changes = Object.keys(settings).length > 0 ? settings : named
  const parts = [byFigures, byLists].flatMap((part) => (part === undefined ? [] : part.description))
  return { changes, description: parts.join(' ') }
}

function hasFigures(patterns: Patterns): boolean {
  const { averageRelevance, clickThroughRate, conversionRate, requiresOptimization } = patterns
  return [averageRelevance, clickThroughRate, conversionRate, requiresOptimization].some(
    (each) => each !== undefined,
  )
}

function fromFigures(
  { averageRelevance, clickThroughRate, conversionRate, requiresOptimization }: Patterns,
  evidence: QueryEvidence | undefined,
): Derived | undefined {
  const seen = evidence !== undefined && evidence.known >= SEARCHES_MIN ? evidence : undefined
  const clicks =
    clickThroughRate ??
    (seen === undefined ? undefined : (seen.clicked - seen.clickedOfNobody) / seen.known)
  if (averageRelevance === undefined && clicks === undefined && conversionRate === undefined)
    return undefined
  const irrelevant = averageRelevance !== undefined && averageRelevance < RELEVANCE_MIN
  const unclicked = clicks !== undefined && clicks < CLICK_RATE_MIN
  const poor = irrelevant || unclicked || requiresOptimization === true
  const boosts = boostsOf(evidence)
  if (boosts.length > 0)
    return {
      changes: { boosts },
      description: poor
        ? 'Lifts the documents that searchers of this query opened.'
        : 'Holds the documents that searchers of this query open.',
    }
  if (!poor)
    return { changes: { learning: true }, description: 'The figures are good: keeps learning on.' }
  return irrelevant
    ? { changes: { legWeights: TOWARDS_MEANING }, description: 'Weighs meaning more.' }
    : { changes: { legWeights: TOWARDS_WORDS }, description: 'Weighs the words more.' }
}

function boostsOf(evidence: QueryEvidence | undefined): Boost[] {
  const documents = liveDocuments(evidence).slice(0, BOOSTED_DOCUMENTS_MAX)
  const most = documents[0]?.clicks ?? 1
  return documents.map((document) => ({
    ...inItsIndex(document),
    value: Number(((BOOST_MAX * document.clicks) / most).toFixed(3)),
  }))
}

function fromLists(patterns: Patterns, evidence: QueryEvidence | undefined): Derived | undefined {
  const { positivePatterns: liked = [], negativePatterns: disliked = [] } = patterns
  if (liked.length + disliked.length === 0) return undefined
  const changes: NamedChanges = {}
  const unread = [
    ...liked.filter((text) => !readPattern(text, 1, changes, evidence)),
    ...disliked.filter((text) => !readPattern(text, -1, changes, evidence)),
  ]
  const rest = unread.length === 0 ? '' : ` Names nothing: ${someListed(unread)}.`
  if (Object.keys(changes).length > 0)
    return { changes: { ...changes }, description: `Follows the named patterns.${rest}` }
  return { changes: { learning: true }, description: `Keeps learning on.${rest}` }
}

type Boost = NonNullable<Tuning['boosts']>[number]

interface NamedChanges {
  fieldWeights?: Record<string, number>
  boosts?: Boost[]
  synonyms?: string[][]
  legWeights?: { text: number; vector: number }
}

const PLAIN = { writable: true, enumerable: true, configurable: true }

/** Puts what one text names into `changes`; false when it names nothing. */
function readPattern(
  text: string,
  sign: 1 | -1,
  changes: NamedChanges,
  evidence: QueryEvidence | undefined,
): boolean {
  const id = /^(?:document|doc|id):(.+)$/i.exec(text)?.[1]?.trim()
  const clicked = liveDocuments(evidence).filter((each) => each.id === text)
  const documents = id === undefined ? clicked.map(inItsIndex) : [{ id }]
  if (documents.length > 0) {
    changes.boosts ??= []
    for (const document of documents) changes.boosts.push({ ...document, value: sign * BOOST_MAX })
    return true
  }
  const rule = sign === 1 ? readSynonym(text) : undefined
  if (rule !== undefined) {
    changes.synonyms ??= []
    changes.synonyms.push(rule)
    return true
  }
  const field = readField(text)
  if (field !== undefined) {
    const value = sign === 1 ? FIELD_UP : FIELD_DOWN
    changes.fieldWeights ??= {}
    // Not copied for each of thousands, and not assigned: a field may have the name that sets a prototype.
    Object.defineProperty(changes.fieldWeights, field, { ...PLAIN, value })
    return true
  }
  const leg = readLeg(text)
  if (leg === undefined) return false
  changes.legWeights = (leg === 'vector') === (sign === 1) ? TOWARDS_MEANING : TOWARDS_WORDS
  return true
}

/** `a => b` or `a = b` of words that say something; a field, a number or a comparison is no word for another. */
function readSynonym(text: string): string[] | undefined {
  // Blanks are trimmed afterwards: a pattern that looks for them, too, takes the square of a text's length.
  const pair = /^([^=<>!]+)(=>?)([^=<>!]+)$/.exec(text.replace(/^synonym:/i, '')) ?? []
  const [, left = '', sign = '', right = ''] = pair.map((part) => part.trim())
  // Of more no query can hold the words.
  if (left.length + right.length > QUERY_CHARACTERS_MAX) return undefined
  if (!isSynonymRule(left, right)) return undefined
  if (sign === '=>') return [`${left} => ${right}`]
  return readField(left) === undefined ? [left, right] : undefined
}

function readLeg(text: string): 'text' | 'vector' | undefined {
  if (/semantic|vector|meaning|similar|embedding/i.test(text)) return 'vector'
  if (/exact|keyword|lexical|phrase|bm25/i.test(text)) return 'text'
  return undefined
}
