import { type Static, Type } from 'typebox'
import { SUGGESTION_KINDS } from './adaptation-record.ts'
import {
  DateTime,
  FreeForm,
  Id,
  OneOf,
  PageBounds,
  PageQuery,
  Share,
  UnreadBody,
  WordsOf,
} from './common.ts'
import { SUGGESTION_STATUSES } from './statuses.ts'
import { TUNING_SHAPES } from './tuning.ts'

const Texts = Type.Array(Type.String(), { maxItems: 1000 })

/** Figures about a query, lists of patterns, or both. */
export const SuggestedPatterns = Type.Object(
  {
    averageRelevance: Type.Optional(Share),
    clickThroughRate: Type.Optional(Share),
    conversionRate: Type.Optional(Share),
    requiresOptimization: Type.Optional(Type.Boolean()),
    confidence: Type.Optional(Share),
    positivePatterns: Type.Optional(Texts),
    negativePatterns: Type.Optional(Texts),
    neutralPatterns: Type.Optional(Texts),
  },
  {
    additionalProperties: true,
    description:
      'Figures (0..1), lists of texts, or both; at least one of the named keys. A text names a field ' +
      '(`title`, `field:title`), a document (`document:ID`), a pair of words (`tv => television`) or a leg ' +
      '(`exact`, `semantic`); what names nothing is kept and changes nothing, as is a pair of more than 4096 characters.',
  },
)

/** A client's suggestion for one query. */
export const Suggestion = Type.Object({
  queryHash: Id,
  patterns: SuggestedPatterns,
  confidence: Share,
})
export type Suggestion = Static<typeof Suggestion>

/** Settings of the ranking, as a client writes them. */
export const Changes = Type.Union(
  [
    Type.Object({}, { additionalProperties: true, minProperties: 1 }),
    Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }),
  ],
  {
    description:
      `Settings of the ranking. ${TUNING_SHAPES} All of it may be nested under \`ranking\`, \`thresholds\` or ` +
      '`search`, or sent as a list of `{parameter, value}`. What is not read is kept, changes nothing and is named in ' +
      '`warnings`, as is a value that may mean something else to others (a word that no search knows as fusion, an object as model); ' +
      'a number out of range is refused, and so is a change in which there is nothing ' +
      'but empty lists or objects; one of these beside others counts as not sent, which `warnings` tell.',
  },
)

export const RuleCreate = Type.Object({
  changes: Changes,
  queryHash: Type.Optional(Id),
  name: Type.Optional(Type.String({ maxLength: 128 })),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
})
export type RuleCreate = Static<typeof RuleCreate>

export const Rule = Type.Object({
  ruleId: Type.String(),
  queryHash: Type.Union([Type.String(), Type.Null()]),
  name: Type.Optional(Type.String()),
  description: Type.String(),
  changes: Type.Unknown(),
  source: Type.String(),
  suggestionId: Type.Optional(Type.String()),
  created: DateTime,
  warnings: Type.Optional(Type.Array(Type.String())),
})
export type Rule = Static<typeof Rule>

const SuggestionParts = {
  suggestionId: Type.String(),
  status: OneOf(SUGGESTION_STATUSES, {
    description:
      'PENDING (nothing to judge it by yet, or found by the service and left to you), ACCEPTED, REJECTED ' +
      '(confidence under ADAPTATION_CONFIDENCE), APPLIED, or EXPIRED after 7 days.',
  }),
  rule: Type.Union([Rule, Type.Null()]),
  queryHash: Type.String(),
  confidence: Type.Number(),
  reason: Type.String(),
  source: OneOf(['client', 'service'], { description: 'service: what it found itself' }),
  kind: OneOf(SUGGESTION_KINDS),
  patterns: FreeForm,
  evidence: FreeForm,
  created: DateTime,
  updated: DateTime,
}

/** One of a list. */
export const SuggestionRead = Type.Object(SuggestionParts)
export type SuggestionRead = Static<typeof SuggestionRead>

/** Answer of a suggestion. */
export const SuggestionTaken = Type.Object({ ...SuggestionParts, ...UnreadBody })
export type SuggestionTaken = Static<typeof SuggestionTaken>

export const SuggestionQuery = Type.Object({
  status: Type.Optional(WordsOf(SUGGESTION_STATUSES)),
  queryHash: Type.Optional(Id),
  source: Type.Optional(WordsOf(['CLIENT', 'SERVICE'])),
  ...PageQuery,
})
export type SuggestionQuery = Static<typeof SuggestionQuery>

export const SuggestionList = Type.Object({
  suggestions: Type.Array(SuggestionRead),
  ...PageBounds,
})
export type SuggestionList = Static<typeof SuggestionList>

export const RuleQuery = Type.Object({ queryHash: Type.Optional(Id), ...PageQuery })
export type RuleQuery = Static<typeof RuleQuery>

export const RuleList = Type.Object({
  rules: Type.Array(Rule),
  ...PageBounds,
})
export type RuleList = Static<typeof RuleList>
