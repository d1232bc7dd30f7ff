import { route } from '../../http/route.ts'
import { EventQuery, SignalStep } from '../../schema/learning.ts'
import { notYet } from '../not-yet.ts'

export const processSignal = route({
  ...notYet,
  method: 'POST',
  path: '/nous/signals/process',
  summary: 'Record a step in the processing of a signal',
  body: SignalStep,
})

export const createSignal = route({
  ...notYet,
  method: 'POST',
  path: '/nous/signals',
  summary: 'Record a signal',
  body: SignalStep,
})

export const listSignals = route({
  ...notYet,
  method: 'GET',
  path: '/nous/signals',
  aliases: ['/nous/signals/process'],
  summary: 'List the signals',
})

export const listLearningEvents = route({
  ...notYet,
  method: 'GET',
  path: '/nous/learn/events',
  summary: 'Read the events of learning',
  query: EventQuery,
})

const read = (path: string, summary: string) => route({ ...notYet, method: 'GET', path, summary })

export const learningMetrics = read('/nous/learn/metrics', 'Read the figures of learning')
export const feedbackPatterns = read(
  '/nous/learn/feedback/patterns',
  'Read the patterns that feedback shows',
)
export const searchPatterns = read(
  '/nous/learn/search-patterns',
  'Read the patterns that searches show',
)
