import { route } from '../../http/route.ts'
import { Assignment, IdPath, SearchTest } from '../../schema/experiment.ts'
import { notYet } from '../not-yet.ts'

export const createSearchTest = route({
  ...notYet,
  method: 'POST',
  path: '/cortex/ab-test/create',
  aliases: ['/cortex/ab-test'],
  summary: 'Create an A/B test of search behaviour',
  body: SearchTest,
})

export const assignSearchTest = route({
  ...notYet,
  method: 'POST',
  path: '/cortex/ab-test/assign',
  summary: "Tell a session's variant of a test",
  body: Assignment,
})

export const listSearchTests = route({
  ...notYet,
  method: 'GET',
  path: '/cortex/ab-test',
  summary: 'List the A/B tests',
})

export const getSearchTest = route({
  ...notYet,
  method: 'GET',
  path: '/cortex/ab-test/{id}',
  summary: 'Read an A/B test with its metrics',
  params: IdPath,
})

const steer = (verb: 'pause' | 'resume' | 'stop') =>
  route({
    ...notYet,
    method: 'POST',
    path: `/cortex/ab-test/{id}/${verb}`,
    summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} an A/B test`,
    params: IdPath,
  })

export const pauseSearchTest = steer('pause')
export const resumeSearchTest = steer('resume')
export const stopSearchTest = steer('stop')
