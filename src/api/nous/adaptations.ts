import { answer, longAnswer, route } from '../../http/route.ts'
import {
  Adaptation,
  AdaptationHistory,
  AdaptationList,
  AdaptationQuery,
  AdaptationRead,
  RollbackBody,
} from '../../schema/adaptation.ts'
import { IdPath } from '../../schema/common.ts'
import {
  Rule,
  RuleCreate,
  RuleList,
  RuleQuery,
  Suggestion,
  SuggestionList,
  SuggestionQuery,
  SuggestionTaken,
} from '../../schema/suggestion.ts'

export const suggestAdaptation = route({
  method: 'POST',
  path: '/nous/adapt/suggest',
  tag: 'learning',
  summary: 'Suggest a rule for a query',
  body: Suggestion,
  example: {
    queryHash: '9f86d081884c7d65',
    patterns: { averageRelevance: 0.4, clickThroughRate: 0.05, requiresOptimization: true },
    confidence: 0.85,
  },
  reply: SuggestionTaken,
  handle: async ({ app, body }) => {
    await app.learning.whole()
    return answer(await app.learning.adaptations.suggest(body))
  },
})

export const listSuggestions = route({
  method: 'GET',
  path: '/nous/adapt/suggestions',
  tag: 'learning',
  summary: 'List the suggestions',
  query: SuggestionQuery,
  reply: SuggestionList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return answer(await app.learning.adaptations.listSuggestions(query))
  },
})

export const listRules = route({
  method: 'GET',
  path: '/nous/adapt/rules',
  tag: 'learning',
  summary: 'List the rules',
  query: RuleQuery,
  reply: RuleList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => answer(await app.learning.adaptations.listRules(query)),
})

export const createRule = route({
  method: 'POST',
  path: '/nous/adapt/rules',
  tag: 'learning',
  summary: 'Create a rule',
  body: RuleCreate,
  example: { queryHash: '9f86d081884c7d65', changes: { fieldWeights: { title: 1.5 } } },
  reply: Rule,
  handle: async ({ app, body, noteDone }) =>
    answer(await app.learning.adaptations.createRule(body, noteDone)),
})

export const applyAdaptation = route({
  method: 'POST',
  path: '/nous/adapt/apply',
  aliases: ['/nous/adaptations'],
  tag: 'learning',
  summary: 'Apply an adaptation',
  body: Adaptation,
  example: {
    type: 'ranking',
    changes: { fieldWeights: { title: 1.5 } },
    source: 'console',
    confidence: 0.8,
    rollbackTriggers: [
      { metric: 'ctr', operator: 'drop', threshold: 0.1, window: '1h', minSamples: 200 },
    ],
  },
  reply: AdaptationRead,
  errors: [
    'ADAPTATION_CONFLICT',
    'LIMIT_REACHED',
    'INVALID_TRANSITION',
    'RULE_NOT_FOUND',
    'SUGGESTION_NOT_FOUND',
  ],
  handle: async ({ app, body, noteDone }) => {
    await app.learning.whole()
    return answer(await app.learning.adaptations.apply(body, noteDone))
  },
})

export const listAdaptations = route({
  method: 'GET',
  path: '/nous/adaptations',
  tag: 'learning',
  summary: 'List the adaptations',
  query: AdaptationQuery,
  reply: AdaptationList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return answer(await app.learning.adaptations.list(query))
  },
})

export const getAdaptation = route({
  method: 'GET',
  path: '/nous/adaptations/{id}',
  tag: 'learning',
  summary: 'Read an adaptation',
  params: IdPath,
  reply: AdaptationHistory,
  errors: ['ADAPTATION_NOT_FOUND'],
  handle: async ({ app, params }) => {
    await app.learning.caughtUp()
    return longAnswer(app.learning.adaptations.get(params.id))
  },
})

export const rollBackAdaptation = route({
  method: 'POST',
  path: '/nous/adaptations/{id}/rollback',
  tag: 'learning',
  summary: 'Roll an adaptation back',
  params: IdPath,
  body: RollbackBody,
  bodyOptional: true,
  reply: AdaptationHistory,
  errors: ['ADAPTATION_NOT_FOUND', 'INVALID_TRANSITION'],
  handle: async ({ app, params, body }) => {
    // What does harm must not go on for as long as somebody is being forgotten.
    await app.learning.caughtUpSoon()
    return longAnswer(await app.learning.adaptations.rollBack(params.id, body))
  },
})
