import { route } from '../../http/route.ts'
import { FreeForm } from '../../schema/common.ts'
import { IdPath } from '../../schema/experiment.ts'
import { Adaptation, Suggestion } from '../../schema/learning.ts'
import { notYet } from '../not-yet.ts'

export const suggestAdaptation = route({
  ...notYet,
  method: 'POST',
  path: '/nous/adapt/suggest',
  summary: 'Suggest a rule for a query',
  body: Suggestion,
})

export const listSuggestions = route({
  ...notYet,
  method: 'GET',
  path: '/nous/adapt/suggestions',
  summary: 'List the suggestions',
})

export const listRules = route({
  ...notYet,
  method: 'GET',
  path: '/nous/adapt/rules',
  summary: 'List the rules',
})

export const createRule = route({
  ...notYet,
  method: 'POST',
  path: '/nous/adapt/rules',
  summary: 'Create a rule',
  body: FreeForm,
})

export const applyAdaptation = route({
  ...notYet,
  method: 'POST',
  path: '/nous/adapt/apply',
  aliases: ['/nous/adaptations'],
  summary: 'Apply an adaptation',
  body: Adaptation,
})

export const listAdaptations = route({
  ...notYet,
  method: 'GET',
  path: '/nous/adaptations',
  summary: 'List the adaptations',
})

export const getAdaptation = route({
  ...notYet,
  method: 'GET',
  path: '/nous/adaptations/{id}',
  summary: 'Read an adaptation',
  params: IdPath,
})

export const rollBackAdaptation = route({
  ...notYet,
  method: 'POST',
  path: '/nous/adaptations/{id}/rollback',
  summary: 'Roll an adaptation back',
  params: IdPath,
})
