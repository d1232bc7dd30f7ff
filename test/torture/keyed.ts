/** A server's answer, as text too: what is sent again must be answered to the byte. */
export interface Answer {
  status: number
  code: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route pass here; the callers know their shapes
  data: any
  text: string
}

/** Sends one request; rejects when the connection is lost. */
export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

/** A POST that is sent under an Idempotency-Key. */
export interface Keyed {
  path: string
  body: unknown
  headers?: Record<string, string>
  /** Asks how often it was done; none for a session, which nobody finds who was not told of it. */
  count?: (send: Send) => Promise<number>
  /** What `count` gives for one that was done once; default 1. */
  once?: number
}

type Count = NonNullable<Keyed['count']>

/** Makes a POST that nothing but its stamp tells from the others of its kind. */
export type Kind = (stamp: string, send: Send) => Keyed | Promise<Keyed>

const INDEX = 'keyed'
const METRIC = 'keyed_total'
const TOMORROW_MS = 86_400_000
const NDJSON = { 'content-type': 'application/x-ndjson' }

const noteOf = (stamp: string) => ({ title: 'Sent once', tags: [stamp] })
const variants = [{ id: 'a' }, { id: 'b' }]
const later = () => new Date(Date.now() + TOMORROW_MS).toISOString()

/** Every kind of POST that changes something, but for those that steer what is there. */
export const KINDS: Readonly<Record<string, Kind>> = {
  session: (stamp) => ({ path: '/cortex/sessions', body: { userId: stamp } }),
  document: (stamp) => ({
    path: '/cortex/documents',
    body: { index: INDEX, document: noteOf(stamp) },
    count: documentsOf(stamp),
  }),
  namedDocument: (stamp) => ({
    path: `/cortex/indices/${INDEX}/documents`,
    body: { id: stamp, document: noteOf(stamp) },
    count: async (send) =>
      (await send('GET', `/cortex/documents/${stamp}?index=${INDEX}`)).data?.version ?? 0,
  }),
  list: (stamp) => ({
    path: '/cortex/documents/bulk',
    body: [1, 2].map(() => ({ index: INDEX, document: noteOf(stamp) })),
    count: documentsOf(stamp),
    once: 2,
  }),
  lines: (stamp) => ({
    path: `/cortex/documents/bulk?index=${INDEX}`,
    body: `${JSON.stringify({ document: noteOf(stamp) })}\n`.repeat(3),
    headers: NDJSON,
    count: documentsOf(stamp),
    once: 3,
  }),
  feedback: async (stamp, send) => ({
    path: '/cortex/feedback',
    body: {
      sessionId: await newSession(send),
      feedback: [{ queryId: stamp, rating: 1, metadata: { userAction: 'click' } }],
    },
    count: (send) => lengthOf(send, `/cortex/feedback?queryId=${stamp}`, 'feedback'),
  }),
  event: async (_stamp, send) => {
    const sessionId = await newSession(send)
    return {
      path: '/cortex/analytics',
      body: { eventType: 'view', sessionId },
      count: eventsOf(sessionId),
    }
  },
  events: async (_stamp, send) => {
    const sessionId = await newSession(send)
    const event = { eventType: 'view', sessionId }
    const body = { events: [event, event] }
    return { path: '/cortex/analytics/events', body, count: eventsOf(sessionId), once: 2 }
  },
  metric: (stamp) => ({
    path: '/cortex/metrics',
    body: { name: METRIC, type: 'counter', value: 1, labels: { key: stamp } },
    count: async (send) => {
      const { text } = await send('GET', '/metrics')
      const value = new RegExp(`^svc_custom_${METRIC}{[^}]*key="${stamp}"[^}]*} (\\d+)`, 'm')
      return Number(value.exec(text)?.[1] ?? 0)
    },
  }),
  test: (stamp) => ({
    path: '/cortex/ab-test/create',
    body: { name: stamp, variants, startDate: later() },
    count: namesIn('/cortex/ab-test?limit=1000', 'tests', stamp),
  }),
  experiment: (stamp) => ({
    path: '/nous/experiments',
    body: { name: stamp, type: 'business_rules', variants, startDate: later() },
    count: namesIn('/nous/experiments?limit=1000', 'experiments', stamp),
  }),
  adaptation: (stamp) => ({
    path: '/nous/adapt/apply',
    body: { type: 'ranking', queryHash: stamp, changes: { fieldWeights: { title: 1.5 } } },
    count: (send) => lengthOf(send, `/nous/adaptations?queryHash=${stamp}`, 'adaptations'),
  }),
  rule: (stamp) => ({
    path: '/nous/adapt/rules',
    body: { queryHash: stamp, changes: { fieldWeights: { title: 1.5 } } },
    count: (send) => lengthOf(send, `/nous/adapt/rules?queryHash=${stamp}`, 'rules'),
  }),
  suggestion: (stamp) => ({
    path: '/nous/adapt/suggest',
    body: { queryHash: stamp, patterns: { clickThroughRate: 0.1 }, confidence: 0.9 },
    count: (send) => lengthOf(send, `/nous/adapt/suggestions?queryHash=${stamp}`, 'suggestions'),
  }),
  model: (stamp) => ({
    path: '/nous/learn/models/sync',
    body: { modelId: stamp, state: { weights: [1], bias: 0, featureNames: ['textScore'] } },
    count: async (send) => {
      const { data } = await send('GET', `/nous/learn/models/${stamp}`)
      return data?.version ?? 0
    },
  }),
  signal: (stamp) => ({
    path: '/nous/signals',
    body: { type: stamp },
    count: (send) => lengthOf(send, `/nous/signals?type=${stamp}`, 'signals'),
  }),
  step: (stamp) => ({
    path: '/nous/signals/process',
    body: { signalId: stamp, type: stamp, status: 'PROCESSING' },
    count: async (send) => {
      const { data } = await send('GET', `/nous/signals?type=${stamp}`)
      return data.signals[0]?.attemptCount ?? 0
    },
  }),
}

function documentsOf(stamp: string): Count {
  return async (send) => {
    const search = { index: INDEX, filters: { tags: stamp }, size: 0 }
    return (await send('POST', '/cortex/search', search)).data?.total ?? 0
  }
}

function eventsOf(sessionId: string): Count {
  return async (send) =>
    (await send('GET', `/cortex/sessions/${sessionId}/analytics`)).data?.events ?? 0
}

function namesIn(path: string, list: string, stamp: string): Count {
  return async (send) => {
    const things = (await send('GET', path)).data[list] as { name: string }[]
    return things.filter(({ name }) => name === stamp).length
  }
}

async function lengthOf(send: Send, path: string, list: string): Promise<number> {
  return (await send('GET', path)).data[list].length
}

async function newSession(send: Send): Promise<string> {
  return (await send('POST', '/cortex/sessions', {})).data.sessionId
}
