import { route } from '../../http/route.ts'
import { FreeForm } from '../../schema/common.ts'
import { IdPath, LearningExperiment } from '../../schema/experiment.ts'
import { notYet } from '../not-yet.ts'

export const createExperiment = route({
  ...notYet,
  method: 'POST',
  path: '/nous/ab-testing/experiments',
  aliases: ['/nous/experiments'],
  summary: 'Create a learning experiment',
  body: LearningExperiment,
})

export const listExperiments = route({
  ...notYet,
  method: 'GET',
  path: '/nous/ab-testing/experiments',
  summary: 'List the learning experiments',
})

export const getExperiment = route({
  ...notYet,
  method: 'GET',
  path: '/nous/ab-testing/experiments/{id}',
  summary: 'Read a learning experiment',
  params: IdPath,
})

const steer = (verb: 'activate' | 'deactivate') =>
  route({
    ...notYet,
    method: 'POST',
    path: `/nous/ab-testing/experiments/{id}/${verb}`,
    summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a learning experiment`,
    params: IdPath,
  })

export const activateExperiment = steer('activate')
export const deactivateExperiment = steer('deactivate')

export const recordExperimentResult = route({
  ...notYet,
  method: 'POST',
  path: '/nous/ab-testing/results',
  summary: 'Record a result of a learning experiment',
  body: FreeForm,
})
