import { loadDocuments, type Service } from '../../bench/service.ts'
import { openSynthetic, type Random } from '../../bench/synthetic.ts'
import { accept, type Client, complain, refuse } from './client.ts'
import { startLanes } from './lanes.ts'
import {
  newSession,
  type Promises,
  type SessionPromise,
  type Told,
  takeEvents,
  takeReceipt,
} from './promises.ts'
import { steerAdaptation, steerModel, steerSignal, steerTest } from './steering.ts'
import type { Writing } from './writer.ts'

export const LESSONS = 'lessons'
const DOCUMENTS = 40
const QUERIES = 6
const SESSION_REQUESTS = 25
/** More entries than one session may honestly send about one result. */
const SPAM_ENTRIES = 60
const EVENTS_MAX = 5

/**
 * Starts clients that search the lessons in sessions, say what they chose, tell of events, and
 * steer models, changes and tests.
 */
export function startLearning(
  promises: Promises,
  random: Random,
  service: Service,
  clients = 4,
): Writing & { wrong: string[] } {
  const refused: Record<string, number> = {}
  const wrong: string[] = []
  const started = startLanes(clients, (number) => {
    const own = { session: undefined, left: 0, last: undefined }
    const client: Client = { promises, service, random, number, refused, wrong, ...own }
    return () => act(client)
  })
  return { ...started, refused, wrong }
}

/** What lessons search in: the same documents each time, sent unless they are there. */
export async function loadLessons(service: Service): Promise<void> {
  const { data } = await service.call('GET', `/cortex/indices/${LESSONS}`)
  if (data?.documents === DOCUMENTS) return
  const synthetic = openSynthetic(1)
  const documents = Array.from({ length: DOCUMENTS }, (_, number) => ({
    ...synthetic.document(number),
  }))
  await loadDocuments(service, LESSONS, documents)
}

async function act(client: Client): Promise<void> {
  const { random, number } = client
  const draw = random()
  if (client.session === undefined || client.session.pending !== undefined || client.left-- <= 0)
    await startSession(client)
  else if (draw < 0.45) await searchAndTell(client, client.session)
  else if (draw < 0.6) await tellEvents(client, client.session)
  else if (draw < 0.7) await steerSignal(client)
  else if (draw < 0.75) await countUp(client)
  else if (draw < 0.8 && client.last !== undefined) await tellAgain(client, client.session)
  else if (number === 0) await steerModel(client)
  else if (number === 1) await steerAdaptation(client)
  else if (number === 2) await steerTest(client)
  else await searchAndTell(client, client.session)
}

async function startSession(client: Client): Promise<void> {
  const { promises, service, number } = client
  const body = { userId: `u${number}-${promises.numbers++}`, metadata: { deviceType: 'desktop' } }
  const reply = await service.call('POST', '/cortex/sessions', body)
  if (!accept(client, reply)) return
  client.session = newSession(promises, reply.data.sessionId)
  client.left = SESSION_REQUESTS
  client.last = undefined
}

async function searchAndTell(client: Client, session: SessionPromise): Promise<void> {
  const { service, random, promises } = client
  promises.touched.add(session)
  session.searches.sent += 1
  const { content } = openSynthetic(1).document(Math.floor(random() * QUERIES))
  const reply = await service.call('POST', '/cortex/search', {
    index: LESSONS,
    query: content.split(' ').slice(0, 3).join(' '),
    sessionId: session.id,
  })
  if (reply.status !== 200) return refuse(client, reply)
  const { hits, searchContext } = reply.data
  if (hits.length === 0 || random() < 0.3) return
  await tell(client, session, toldOf(client, session.id, searchContext.queryId, hits))
}

/** Some of the hits clicked and some bought; now and then one result is reported over and over. */
function toldOf(
  { random }: Client,
  sessionId: string,
  queryId: string,
  hits: { id: string }[],
): Told {
  const place = Math.floor(random() * Math.min(5, hits.length))
  const entry = (userAction: string, at: number) => ({
    queryId,
    rating: 1,
    metadata: { userAction, resultId: hits[at]?.id, customMetadata: { position: at + 1 } },
  })
  if (random() < 0.01) {
    const feedback = Array.from({ length: SPAM_ENTRIES }, () => entry('click', place))
    return { body: { sessionId, feedback }, entries: SPAM_ENTRIES, distinct: 1, clicks: 1 }
  }
  const feedback = [entry('click', place)]
  if (random() < 0.4) feedback.push(entry('purchase', place))
  if (random() < 0.3 && place > 0) feedback.push(entry('click', 0))
  const clicks = feedback.filter(({ metadata }) => metadata.userAction === 'click').length
  return {
    body: { sessionId, feedback },
    entries: feedback.length,
    distinct: feedback.length,
    clicks,
  }
}

async function tell(client: Client, session: SessionPromise, told: Told): Promise<void> {
  session.pending = { told }
  const reply = await client.service.call('POST', '/cortex/feedback', told.body)
  if (!accept(client, reply)) return
  session.pending = undefined
  client.last = told
  complain(client, takeReceipt(session, told, reply.data, 'new'))
}

async function tellAgain(client: Client, session: SessionPromise): Promise<void> {
  const { last, service } = client
  if (last === undefined) return
  client.promises.touched.add(session)
  session.pending = { told: { ...last, distinct: 0, clicks: 0 } }
  const reply = await service.call('POST', '/cortex/feedback', last.body)
  if (!accept(client, reply)) return
  session.pending = undefined
  complain(client, takeReceipt(session, last, reply.data, 'stored before'))
}

async function tellEvents(client: Client, session: SessionPromise): Promise<void> {
  const { promises, service, random } = client
  promises.touched.add(session)
  const events = Array.from({ length: 1 + Math.floor(random() * EVENTS_MAX) }, () => ({
    eventType: random() < 0.3 ? 'result_click' : 'scroll',
    sessionId: session.id,
    performance: { renderMs: 1 },
  }))
  const clicks = events.filter(({ eventType }) => eventType === 'result_click').length
  session.pending = { events: events.length, clicks }
  const reply = await service.call('POST', '/cortex/analytics/search', { events })
  if (!accept(client, reply)) return
  session.pending = undefined
  takeEvents(session, events.length, clicks)
  for (const { eventId } of reply.data.events) promises.eventIds.add(eventId)
  if (reply.data.unmatched > 0) complain(client, `${session.id}: its events are unmatched`)
}

async function countUp(client: Client): Promise<void> {
  const { promises, service, number } = client
  const lane = String(number)
  const counter = promises.counters.get(lane) ?? { settled: 0, pending: false }
  promises.counters.set(lane, counter)
  // One that was cut off waits for the next check.
  if (counter.pending) return
  counter.pending = true
  const reply = await service.call('POST', '/cortex/metrics', counterBody(lane))
  if (!accept(client, reply)) return
  counter.pending = false
  counter.settled += 1
}

export function counterBody(lane: string): object {
  return { name: 'torture_steps', type: 'counter', value: 1, labels: { lane } }
}
