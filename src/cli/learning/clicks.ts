import { isObject } from '../../object.ts'
import { arrive, clickOn, crowd, lookingFor } from './people.ts'
import { isSameList, type Shown, type Stage } from './stage.ts'

const QUERY = 'measure how fast a function runs'
const FOLLOWERS = 5
const WITHIN_MS = 10_000
const LIST_END = 10

/** A click far down changes the list for everybody within a moment; more people, more change. */
export async function showClicks(stage: Stage): Promise<void> {
  stage.heading(`1. A click moves a document · "${QUERY}"`)
  const before = await stage.search(QUERY)
  const wanted = before.hits[LIST_END - 1]?.id ?? ''
  stage.list('Before', before.hits, wanted)

  stage.say('')
  stage.say('Somebody starts a session, searches, and clicks the last hit:')
  const person = await arrive(stage, 'as curl')
  const found = await stage.search(QUERY, person, 'as curl')
  const toldAt = performance.now()
  await stage.show('/cortex/feedback', clickOn(person, found, wanted))
  const isMoved = await stage.until(
    async () => !isSameList((await stage.search(QUERY)).hits, before.hits),
    WITHIN_MS,
  )
  const tookMs = performance.now() - toldAt
  stage.check(
    isMoved,
    `everybody sees another list ${tookMs.toFixed(0)} ms after the click was sent`,
  )

  await crowd(stage, FOLLOWERS, { query: () => QUERY, choose: lookingFor(wanted, LIST_END) })
  await stage.call('/nous/learn/metrics')
  const after = await stage.search(QUERY, { explain: true })
  stage.say('')
  stage.list(`After ${FOLLOWERS} more people did the same`, after.hits, wanted)
  explain(
    stage,
    after.hits.find(({ id }) => id === wanted),
  )
  const place = after.hits.findIndex(({ id }) => id === wanted) + 1
  stage.check(place > 0 && place < LIST_END, `the document rose from ${LIST_END} to ${place}`)
}

/** Takes the score apart, with what was learned beside what was found. */
function explain(stage: Stage, hit: Shown | undefined): void {
  const { parts, weights, learned } = hit?.explain ?? {}
  if (hit === undefined || !isObject(parts) || !isObject(weights)) return
  const part = (name: string) =>
    `${Number(weights[name]).toFixed(2)} × ${Number(parts[name] ?? 0).toFixed(3)} (${name})`
  const sum = `${part('text')} + ${part('vector')} + ${Number(learned).toFixed(3)} (learned)`
  stage.say(`"explain": true takes its score apart: ${hit.score.toFixed(3)} = ${sum}`)
}
