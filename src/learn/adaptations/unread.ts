import { RollbackBody } from '../../schema/adaptation.ts'
import { SuggestedPatterns, Suggestion } from '../../schema/suggestion.ts'
import { bodyOf, unreadFields, unreadFieldsAt } from '../wire/unread-fields.ts'

const FIGURES = Object.fromEntries(
  Object.keys(SuggestedPatterns.properties)
    .filter((name) => name !== 'confidence')
    .map((name) => [name, `patterns.${name}`]),
)
const SUGGESTION = bodyOf('a suggestion', Suggestion, {
  ...FIGURES,
  query: 'queryHash',
  hash: 'queryHash',
  pattern: 'patterns',
  score: 'confidence',
})
const PATTERNS = bodyOf('the patterns', SuggestedPatterns, {
  ctr: 'clickThroughRate',
  clickRate: 'clickThroughRate',
  relevance: 'averageRelevance',
  conversion: 'conversionRate',
  positive: 'positivePatterns',
  negative: 'negativePatterns',
  neutral: 'neutralPatterns',
})
const ROLLBACK = bodyOf('a rollback', RollbackBody, { message: 'reason', comment: 'reason' })

/** What of a suggestion no judgement goes by. */
export function unreadOfSuggestion(sent: Suggestion): string[] {
  return [...unreadFields(sent, SUGGESTION), ...unreadFieldsAt('patterns', sent.patterns, PATTERNS)]
}

export function unreadOfRollback(sent: RollbackBody): string[] {
  return unreadFields(sent, ROLLBACK)
}
