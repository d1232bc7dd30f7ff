import { isObject } from '../../object.ts'
import { count } from '../amounts.ts'
import { arrive, clickOn } from './people.ts'
import { isSameList, type Stage } from './stage.ts'

const QUERY = 'stop a worker thread gracefully'
const CLICKS = 10_000
const CLICKS_A_REQUEST = 1000

/** One session that clicks ten thousand times moves nothing at all. */
export async function showFraud(stage: Stage): Promise<void> {
  stage.heading(`2. Ten thousand clicks of one session · "${QUERY}"`)
  const before = await stage.search(QUERY)
  const wanted = before.hits.at(-1)?.id ?? ''
  stage.list('Before', before.hits, wanted)
  const person = await arrive(stage)
  const found = await stage.search(QUERY, person)
  const { sessionId, feedback } = clickOn(person, found, wanted) as {
    sessionId: string
    feedback: object[]
  }
  stage.say('')
  stage.say(`One session clicks the last hit ${count(CLICKS)} times, like this:`)
  await stage.show('/cortex/feedback', { sessionId, feedback })
  const many = Array.from({ length: CLICKS_A_REQUEST }, () => feedback[0])
  let sent = 1
  let duplicates = 0
  while (sent < CLICKS) {
    const part = { sessionId, feedback: many.slice(0, CLICKS - sent) }
    const { accepted, duplicate } = await stage.call('/cortex/feedback', part)
    sent += Number(accepted)
    duplicates += Number(duplicate)
  }
  stage.say(`${sent} accepted, ${duplicates} of them duplicates.`)
  const events = await stage.show(`/nous/learn/events?type=SESSION_FLAGGED&sessionId=${sessionId}`)
  const flagged = Array.isArray(events.data.events) ? events.data.events.filter(isObject) : []
  await stage.call('/nous/learn/metrics')
  const after = await stage.search(QUERY)
  stage.check(flagged.length > 0, 'the session is flagged, and teaches nothing more')
  stage.check(isSameList(before.hits, after.hits), 'no document moved, and no score changed')
}
