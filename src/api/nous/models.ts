import { answer, route } from '../../http/route.ts'
import { IdPath } from '../../schema/common.ts'
import {
  ModelActivated,
  ModelGated,
  ModelList,
  ModelQuery,
  ModelRead,
  ModelRollback,
  ModelRolledBack,
  ModelShown,
  ModelSync,
  ModelSynced,
  ModelTrained,
  ModelTraining,
  VersionChoice,
} from '../../schema/model.ts'

export const syncModel = route({
  method: 'POST',
  path: '/nous/learn/models/sync',
  tag: 'learning',
  summary: 'Store a state of a model',
  body: ModelSync,
  bodyLimit: 'modelBytesMax',
  readLarge: (app, pieces) => app.learning.models.readLarge(pieces),
  example: {
    modelId: 'ranker',
    state: {
      weights: [0.8, 0.3, 0.1],
      bias: 0,
      scaler: { mean: [0.5, 0.5, 0], std: [0.2, 0.2, 0.5] },
      featureNames: ['textScore', 'vectorScore', 'clickMemory'],
      metrics: { accuracy: 0.91 },
      trainingProgress: 1,
    },
  },
  reply: ModelSynced,
  errors: ['MODEL_NOT_SERVABLE', 'TOO_MANY_MODELS'],
  handle: ({ app, body }) => app.learning.models.sync(body),
})

export const listModels = route({
  method: 'GET',
  path: '/nous/learn/models',
  aliases: ['/nous/learn/models/sync'],
  tag: 'learning',
  summary: 'List the models',
  query: ModelQuery,
  reply: ModelList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => answer(await app.learning.models.list(query)),
})

export const getModel = route({
  method: 'GET',
  path: '/nous/learn/models/{id}',
  tag: 'learning',
  summary: 'Read a model: its versions, what the gates said of them, how they were used',
  params: IdPath,
  query: ModelRead,
  reply: ModelShown,
  errors: ['MODEL_NOT_FOUND'],
  handle: async ({ app, params, query }) => {
    await app.learning.caughtUp()
    return answer(app.learning.models.get(params.id, query))
  },
})

export const activateModel = route({
  method: 'POST',
  path: '/nous/learn/models/{id}/activate',
  tag: 'learning',
  summary: 'Let a model rank, past all gates',
  params: IdPath,
  body: VersionChoice,
  bodyOptional: true,
  reply: ModelActivated,
  errors: ['MODEL_NOT_FOUND', 'MODEL_NOT_SERVABLE', 'INVALID_TRANSITION'],
  handle: ({ app, params, body }) => app.learning.models.activate(params.id, body),
})

export const rollBackModel = route({
  method: 'POST',
  path: '/nous/learn/models/{id}/rollback',
  tag: 'learning',
  summary:
    'Return to the version of a model that ranked before, else to another model that did, or end the trial of one',
  params: IdPath,
  body: ModelRollback,
  bodyOptional: true,
  reply: ModelRolledBack,
  errors: ['MODEL_NOT_FOUND', 'MODEL_NOT_SERVABLE', 'NOT_ACTIVE'],
  handle: ({ app, params, body, noteDone }) =>
    app.learning.models.rollBack(params.id, body, noteDone),
})

export const trainModel = route({
  method: 'POST',
  path: '/nous/learn/models/train',
  tag: 'learning',
  summary: 'Train a model from what people chose; the gates decide whether it ranks',
  body: ModelTraining,
  bodyOptional: true,
  example: { kind: 'linear' },
  reply: ModelTrained,
  errors: ['TRAINING_RUNNING'],
  handle: async ({ app, body }) => {
    // What it asks waits by itself until all is learned anew, as long as that takes.
    await app.learning.caughtUpUnlessAnew()
    return app.learning.models.train(body)
  },
})

export const judgeModel = route({
  method: 'POST',
  path: '/nous/learn/models/{id}/evaluate',
  tag: 'learning',
  summary:
    'Send a model through the gates: whether it beats what ranks now on logged searches; one that does goes on to trials, and may rank',
  params: IdPath,
  body: VersionChoice,
  bodyOptional: true,
  reply: ModelGated,
  errors: ['MODEL_NOT_FOUND', 'MODEL_NOT_SERVABLE', 'INVALID_TRANSITION'],
  handle: async ({ app, params, body }) => {
    // What it asks waits by itself until all is learned anew, as long as that takes.
    await app.learning.caughtUpUnlessAnew()
    return app.learning.models.judge(params.id, body)
  },
})
