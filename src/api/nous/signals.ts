import { route } from '../../http/route.ts'
import { SignalStep } from '../../schema/learning.ts'
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

const read = (path: string, summary: string) => route({ ...notYet, method: 'GET', path, summary })

export const feedbackPatterns = read(
  '/nous/learn/feedback/patterns',
  'Read the patterns that feedback shows',
)
export const searchPatterns = read(
  '/nous/learn/search-patterns',
  'Read the patterns that searches show',
)
