import { answer, route } from '../../http/route.ts'
import {
  SignalCreate,
  SignalList,
  SignalQuery,
  SignalReceipt,
  SignalStep,
} from '../../schema/signal.ts'

export const processSignal = route({
  method: 'POST',
  path: '/nous/signals/process',
  tag: 'learning',
  summary: 'Record a step in the processing of a signal',
  body: SignalStep,
  example: {
    signalId: 'signal-1',
    type: 'CLICK',
    status: 'COMPLETED',
    metadata: {
      processor: 'ranking',
      processingTime: 12,
      processingSteps: [{ step: 'score', status: 'COMPLETED', duration: 12 }],
    },
  },
  reply: SignalReceipt,
  errors: ['INVALID_TRANSITION'],
  handle: ({ app, body }) => app.learning.signals.record(body),
})

export const createSignal = route({
  method: 'POST',
  path: '/nous/signals',
  tag: 'learning',
  summary: 'Record a signal',
  body: SignalCreate,
  bodyOptional: true,
  example: { type: 'PERFORMANCE', metadata: { performance: { latency: 12 } } },
  reply: SignalReceipt,
  errors: ['INVALID_TRANSITION'],
  handle: ({ app, body, noteDone }) => app.learning.signals.record(body, noteDone),
})

export const listSignals = route({
  method: 'GET',
  path: '/nous/signals',
  aliases: ['/nous/signals/process'],
  tag: 'learning',
  summary:
    'List the signals, newest first: searches, feedback, figures of performance, events of models, and those told of',
  query: SignalQuery,
  reply: SignalList,
  errors: ['INVALID_CURSOR'],
  handle: async ({ app, query }) => answer(await app.learning.signals.list(query)),
})
