import { must, type Reply, type Service } from '../../bench/service.ts'
import { counterBody } from './learner.ts'
import {
  type Promises,
  type SessionPromise,
  type Told,
  takeEvents,
  takeReceipt,
} from './promises.ts'
import { each } from './verify.ts'
import { readThings } from './verify-things.ts'

export type Say = (sentence: string) => void

const PAGE = 1000

/**
 * Holds learning against everything it has promised: each session's feedback and totals, the state of whatever has
 * one, and the figures of the whole. What was cut off is decided by what is read; feedback that was cut off is then
 * sent again, as a client would. `whole`: also the sessions without traffic since the last check;
 * `restarted`: the server has just started. Resolves to one
 * sentence per broken promise.
 */
export async function findForgotten(
  promises: Promises,
  service: Service,
  { whole = false, restarted = true } = {},
): Promise<string[]> {
  const broken: string[] = []
  const say = (sentence: string) => void broken.push(sentence)
  const due = whole ? promises.sessions.values() : promises.touched
  await each(due, async (session) => {
    await readSession(promises, service, session, say)
    // What a server counts may not be on the disk yet; what it starts with is.
    const { searches } = session
    if (restarted) searches.kept = searches.sent
  })
  if (restarted) promises.touched.clear()
  for (const lane of promises.counters.keys()) await readCounter(promises, service, lane, say)
  await readThings(promises, service, say)
  await readFigures(promises, service, say)
  return broken
}

async function readSession(
  promises: Promises,
  service: Service,
  session: SessionPromise,
  say: Say,
): Promise<void> {
  const { id, totals, searches, pending } = session
  const read = await must(service.call('GET', `/cortex/sessions/${id}/analytics`))
  if (read.searches < searches.kept || read.searches > searches.sent)
    say(`${id}: ${read.searches} searches, ${searches.kept} were kept, ${searches.sent} were sent`)
  searches.sent = read.searches
  const page = await must(service.call('GET', `/cortex/feedback?sessionId=${id}&limit=${PAGE}`))
  const found = countEntries(page.feedback, say)
  for (const [feedbackId, entries] of session.told)
    if (found.get(feedbackId) !== entries)
      say(`${feedbackId}: ${found.get(feedbackId) ?? 0} of its ${entries} entries are there`)
  const unknown = [...found].filter(([feedbackId]) => !session.told.has(feedbackId))
  session.pending = undefined
  let again: { told: Told; stored: boolean } | undefined
  if (pending !== undefined && 'told' in pending)
    again = { told: pending.told, stored: takeStored(session, pending.told, unknown, say) }
  else if (pending !== undefined && read.events !== totals.events) {
    takeEvents(session, pending.events, pending.clicks)
    promises.eventsFound += pending.events
  }
  if (unknown.length > 0) say(`${id}: ${unknown.length} feedback requests that nobody sent`)
  for (const name of ['feedback', 'clicks', 'events'] as const)
    if (read[name] !== totals[name]) say(`${id}: ${read[name]} ${name} instead of ${totals[name]}`)
  if (again !== undefined && again.told.distinct > 0)
    await sendAgain(service, session, again.told, again.stored, say)
}

/** Feedback id → entries, each signal once. */
function countEntries(rows: Reply['data'], say: Say): Map<string, number> {
  const found = new Map<string, number>()
  const signals = new Set<string>()
  for (const { feedbackId, signalId } of rows) {
    found.set(feedbackId, (found.get(feedbackId) ?? 0) + 1)
    if (signals.has(signalId)) say(`${feedbackId}: an entry is there twice`)
    signals.add(signalId)
  }
  return found
}

/** Takes the one request that was cut off out of those that nobody expected; whether it was there. */
function takeStored(
  session: SessionPromise,
  told: Told,
  unknown: [string, number][],
  say: Say,
): boolean {
  const [feedbackId, entries] = unknown.shift() ?? []
  if (feedbackId === undefined || entries === undefined) return false
  if (entries !== told.entries) say(`${feedbackId}: ${entries} of the ${told.entries} entries sent`)
  session.told.set(feedbackId, entries)
  session.totals.feedback += told.distinct
  session.totals.clicks += told.clicks
  return true
}

async function sendAgain(
  service: Service,
  session: SessionPromise,
  told: Told,
  stored: boolean,
  say: Say,
): Promise<void> {
  const receipt = await must(service.call('POST', '/cortex/feedback', told.body))
  const expected = stored ? 'stored before' : 'perhaps unmatched'
  const wrong = takeReceipt(session, told, receipt, expected)
  if (wrong !== undefined) say(wrong)
}

/** One more value tells how many there are. */
async function readCounter(
  { counters }: Promises,
  service: Service,
  lane: string,
  say: Say,
): Promise<void> {
  const counter = counters.get(lane)
  if (counter === undefined) return
  const { aggregations } = await must(service.call('POST', '/cortex/metrics', counterBody(lane)))
  const values = counter.settled + 1
  const counts = counter.pending ? [values, values + 1] : [values]
  if (!counts.includes(aggregations.count) || aggregations.sum !== aggregations.count)
    say(`counter ${lane}: ${aggregations.count} values instead of ${counts.join(' or ')}`)
  Object.assign(counter, { settled: aggregations.count, pending: false })
}

const OF_MODELS = /^(MODEL|TRAINING|GATE)_/

/** What learning has taken is what was stored, each once. */
async function readFigures(promises: Promises, service: Service, say: Say): Promise<void> {
  const figures = await must(service.call('GET', '/nous/learn/metrics'))
  const told = [...promises.sessions.values()].flatMap((session) => [...session.told.values()])
  const entries = told.reduce((sum, count) => sum + count, 0)
  const { impressions, feedback, analytics, signals, loop, events } = figures
  const { COMPLETED, PENDING, PROCESSING, FAILED } = signals.byStatus
  // Each event that was told carries a figure.
  const ofModels = Object.entries<number>(events.lastDay).filter(([type]) => OF_MODELS.test(type))
  const derived = ofModels.reduce((sum, [, count]) => sum + count, analytics.total)
  const things = [...promises.things.values()].filter(({ kind }) => kind === 'signal')
  const inState = (state: string) => things.filter(({ settled }) => settled === state).length
  const expected: [string, number, number][] = [
    ['feedback entries learned', feedback.total, entries],
    ['feedback requests in the history', events.lastDay.FEEDBACK_RECEIVED ?? 0, told.length],
    ['events learned', analytics.total, promises.eventIds.size + promises.eventsFound],
    [
      'signals completed',
      COMPLETED,
      impressions.learned + entries + derived + inState('COMPLETED'),
    ],
    ['signals in work', PROCESSING, inState('PROCESSING')],
    ['signals waiting', PENDING, inState('PENDING')],
    ['signals failed', FAILED, 0],
    ['journal entries behind', loop.behind, 0],
  ]
  for (const [name, read, right] of expected)
    if (read !== right) say(`${name}: ${read} instead of ${right}`)
}
