import { isObject } from '../../object.ts'
import { crowd, lookingFor } from './people.ts'
import { type FoundHits, isSameList, type Stage } from './stage.ts'

const QUERY = 'write logs without slowing the program down'
const PATIENCE = 3
const SAMPLES = 20
const WITHIN_MS = 20_000

/** A change that drives people away is taken back by its own trigger, and nothing of it stays. */
export async function showHarm(stage: Stage): Promise<void> {
  stage.heading(`4. A harmful change takes itself back · "${QUERY}"`)
  const before = await stage.search(QUERY)
  const wanted = before.hits[0]?.id ?? ''
  stage.list('Before', before.hits, wanted)
  stage.say('')
  stage.say('Somebody pins the lower half of the list above the upper one:')
  const pins = before.hits.slice(PATIENCE + 2).map(({ id }) => id)
  const applied = await stage.show('/nous/adapt/apply', {
    type: 'ranking',
    queryHash: before.queryHash,
    changes: { pins },
    rollbackTriggers: [
      { metric: 'ctr', operator: 'lt', threshold: 0.3, window: '10m', minSamples: SAMPLES },
    ],
    immediate: true,
  })
  const { adaptationId, status } = applied.data
  const harmed = await stage.search(QUERY)
  stage.list(`${status}`, harmed.hits, wanted)
  stage.check(
    status === 'ACTIVE' && !isSameList(before.hits, harmed.hits),
    'the change is in force',
  )

  stage.say('')
  stage.say(`${SAMPLES} people look at the first ${PATIENCE} hits, do not find it, and leave …`)
  // Whoever comes after the rollback sees the list as it was, and is no part of this step.
  const isHarmed = ({ hits }: FoundHits) => hits[0]?.id === harmed.hits[0]?.id
  const look = lookingFor(wanted, PATIENCE)
  const choose = (found: FoundHits) => (isHarmed(found) ? look(found) : undefined)
  await crowd(stage, SAMPLES, { query: () => QUERY, choose })
  const startedAt = performance.now()
  const path = `/nous/adaptations/${adaptationId}`
  const isBack = await stage.until(
    async () => (await stage.call(path)).status === 'ROLLED_BACK',
    WITHIN_MS,
  )
  const tookMs = performance.now() - startedAt
  const { history } = (await stage.show(path)).data
  const last = Array.isArray(history) ? history.filter(isObject).at(-1) : undefined
  stage.say(`${last?.status}: ${last?.reason}`)
  stage.check(isBack, `its trigger rolled it back, ${tookMs.toFixed(0)} ms after the last search`)
  const after = await stage.search(QUERY)
  stage.list('After', after.hits, wanted)
  stage.check(isSameList(before.hits, after.hits), 'the list and its scores are exactly as before')
}
