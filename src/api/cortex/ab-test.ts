import { answer, longAnswer, route } from '../../http/route.ts'
import { describeAssignment } from '../../schema/assignment.ts'
import { IdPath } from '../../schema/common.ts'
import {
  AnsweredAssignment,
  AnsweredTest,
  AssignmentRequest,
  ExperimentQuery,
  ReportedTest,
  SearchTest,
  TestList,
} from '../../schema/experiment.ts'

export const createSearchTest = route({
  method: 'POST',
  path: '/cortex/ab-test/create',
  aliases: ['/cortex/ab-test'],
  reserved: true,
  tag: 'learning',
  summary: 'Create an A/B test of search behaviour',
  body: SearchTest,
  example: {
    name: 'heavier titles',
    variants: [{ id: 'control' }, { id: 'titles', config: { fieldWeights: { title: 3 } } }],
    trafficAllocation: { control: 0.5, titles: 0.5 },
    successMetrics: ['ctr', 'mrr'],
  },
  reply: AnsweredTest,
  errors: ['NAME_TAKEN', 'LIMIT_REACHED'],
  handle: async ({ app, body }) => longAnswer(await app.learning.experiments.create('test', body)),
})

export const assignSearchTest = route({
  method: 'POST',
  path: '/cortex/ab-test/assign',
  reserved: true,
  tag: 'learning',
  summary: "Tell a session's variant of a test, or of a learning experiment",
  description: describeAssignment(),
  body: AssignmentRequest,
  example: { sessionId: 's-1', testName: 'heavier titles' },
  reply: AnsweredAssignment,
  errors: ['TEST_NOT_FOUND', 'NOT_ACTIVE'],
  handle: ({ app, body }) => app.learning.experiments.assign(body),
})

export const listSearchTests = route({
  method: 'GET',
  path: '/cortex/ab-test',
  tag: 'learning',
  summary: 'List the A/B tests',
  query: ExperimentQuery,
  reply: TestList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return answer(await app.learning.experiments.list('test', query))
  },
})

export const getSearchTest = route({
  method: 'GET',
  path: '/cortex/ab-test/{id}',
  tag: 'learning',
  summary: 'Read an A/B test with its metrics',
  params: IdPath,
  reply: ReportedTest,
  errors: ['TEST_NOT_FOUND'],
  handle: async ({ app, params }) => {
    await app.learning.caughtUp()
    return longAnswer(await app.learning.experiments.get('test', params.id))
  },
})

const steer = (verb: 'pause' | 'resume' | 'stop') =>
  route({
    method: 'POST',
    path: `/cortex/ab-test/{id}/${verb}`,
    tag: 'learning',
    summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} an A/B test`,
    params: IdPath,
    reply: AnsweredTest,
    errors: ['TEST_NOT_FOUND', 'INVALID_TRANSITION', 'LIMIT_REACHED'],
    handle: async ({ app, params }) =>
      longAnswer(await app.learning.experiments.steer('test', params.id, verb)),
  })

export const pauseSearchTest = steer('pause')
export const resumeSearchTest = steer('resume')
export const stopSearchTest = steer('stop')
