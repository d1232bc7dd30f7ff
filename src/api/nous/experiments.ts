import { answer, longAnswer, route } from '../../http/route.ts'
import { IdPath } from '../../schema/common.ts'
import {
  AnsweredExperiment,
  ExperimentList,
  ExperimentQuery,
  LearningExperiment,
  ReportedExperiment,
} from '../../schema/experiment.ts'
import { AnsweredResult, ExperimentResult } from '../../schema/experiment-result.ts'

export const createExperiment = route({
  method: 'POST',
  path: '/nous/ab-testing/experiments',
  aliases: ['/nous/experiments'],
  tag: 'learning',
  summary: 'Create a learning experiment',
  body: LearningExperiment,
  missing: {
    type: 'is required: learning_strategy, model_config, business_rules, or a word of your own',
  },
  example: {
    name: 'click memory off',
    type: 'learning_strategy',
    variants: [{ id: 'control' }, { id: 'off', config: { learning: false } }],
    guardrails: [{ metric: 'zeroResultRate', operator: '>', threshold: 0.5 }],
    rolloutStrategy: { type: 'steps', steps: [10, 25, 50, 100], interval: '1h', minSamples: 100 },
    fallbackConfig: { learning: true },
  },
  reply: AnsweredExperiment,
  errors: ['NAME_TAKEN', 'LIMIT_REACHED'],
  handle: async ({ app, body }) =>
    longAnswer(await app.learning.experiments.create('experiment', body)),
})

export const listExperiments = route({
  method: 'GET',
  path: '/nous/ab-testing/experiments',
  aliases: ['/nous/experiments'],
  tag: 'learning',
  summary: 'List the learning experiments',
  query: ExperimentQuery,
  reply: ExperimentList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return answer(await app.learning.experiments.list('experiment', query))
  },
})

export const getExperiment = route({
  method: 'GET',
  path: '/nous/ab-testing/experiments/{id}',
  aliases: ['/nous/experiments/{id}'],
  tag: 'learning',
  summary: 'Read a learning experiment',
  params: IdPath,
  reply: ReportedExperiment,
  errors: ['EXPERIMENT_NOT_FOUND'],
  handle: async ({ app, params }) => {
    await app.learning.caughtUp()
    return longAnswer(await app.learning.experiments.get('experiment', params.id))
  },
})

const STEERED = {
  activate: { summary: 'Activate a learning experiment' },
  deactivate: {
    summary: 'Deactivate a learning experiment, or end the fallback of one rolled back',
    description:
      'An experiment that is ACTIVE becomes PAUSED. One that a guardrail took back stays ROLLED_BACK: its fallbackConfig, ' +
      'which applies until the end date, applies no more. The same again changes nothing.',
  },
  stop: { summary: 'Stop a learning experiment' },
}

const steer = (verb: keyof typeof STEERED) =>
  route({
    method: 'POST',
    path: `/nous/ab-testing/experiments/{id}/${verb}`,
    aliases: [`/nous/experiments/{id}/${verb}`],
    tag: 'learning',
    ...STEERED[verb],
    params: IdPath,
    reply: AnsweredExperiment,
    errors: ['EXPERIMENT_NOT_FOUND', 'INVALID_TRANSITION', 'LIMIT_REACHED'],
    handle: async ({ app, params }) =>
      longAnswer(await app.learning.experiments.steer('experiment', params.id, verb)),
  })

export const activateExperiment = steer('activate')
export const deactivateExperiment = steer('deactivate')
export const stopExperiment = steer('stop')

export const recordExperimentResult = route({
  method: 'POST',
  path: '/nous/ab-testing/results',
  tag: 'learning',
  summary: 'Record a result of a learning experiment, or of an A/B test',
  body: ExperimentResult,
  example: {
    experimentName: 'click memory off',
    variantId: 'off',
    unit: 'u-42',
    metrics: { revenue: 12.5 },
  },
  reply: AnsweredResult,
  errors: ['EXPERIMENT_NOT_FOUND', 'NOT_ACTIVE'],
  handle: ({ app, body, noteDone }) => app.learning.experiments.record(body, noteDone),
})
