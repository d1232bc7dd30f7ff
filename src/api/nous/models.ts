import { route } from '../../http/route.ts'
import { IdPath } from '../../schema/experiment.ts'
import { ModelSync } from '../../schema/learning.ts'
import { notYet } from '../not-yet.ts'

export const syncModel = route({
  ...notYet,
  method: 'POST',
  path: '/nous/learn/models/sync',
  summary: 'Store a state of a model',
  body: ModelSync,
  bodyLimit: 'modelBytesMax',
})

export const listModels = route({
  ...notYet,
  method: 'GET',
  path: '/nous/learn/models',
  aliases: ['/nous/learn/models/sync'],
  summary: 'List the models',
})

export const getModel = route({
  ...notYet,
  method: 'GET',
  path: '/nous/learn/models/{id}',
  summary: 'Read a model',
  params: IdPath,
})

const steer = (verb: 'activate' | 'rollback', summary: string) =>
  route({
    ...notYet,
    method: 'POST',
    path: `/nous/learn/models/{id}/${verb}`,
    summary,
    params: IdPath,
  })

export const activateModel = steer('activate', 'Let a model rank')
export const rollBackModel = steer('rollback', 'Return to the earlier state of a model')
