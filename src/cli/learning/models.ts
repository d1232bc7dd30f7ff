import { seeded } from '../../learn/statistics/random.ts'
import { isObject } from '../../object.ts'
import { crowd, glancingFor } from './people.ts'
import { type FoundHits, isSameList, type Stage } from './stage.ts'

const QUERIES = [
  'read options from the command line',
  'compress data before sending it',
  'validate an object against a schema',
  'run tests in parallel',
  'share memory between threads',
]
const SEED = 1

/** Models that can't rank, or that rank worse than what is there, never get to rank. */
export async function showModels(stage: Stage): Promise<void> {
  stage.heading('3. Bad models are refused')
  stage.say('A model whose numbers do not fit together, to be activated at once:')
  const broken = {
    weights: [0.4, 0.6, 1],
    scaler: { mean: [0, 0], std: [1, 1] },
    featureNames: ['textScore', 'astrology'],
  }
  const first = await stage.show('/nous/learn/models/sync', {
    modelId: 'broken',
    state: broken,
    activate: true,
  })
  const { status, reasons } = first.data
  stage.say(`${status}: ${Array.isArray(reasons) ? reasons.join(' ') : ''}`)
  stage.check(status === 'CANDIDATE', 'it is stored and ranks nothing, with the reasons')
  const forced = await stage.show('/nous/learn/models/broken/activate', {})
  stage.say(`${forced.status} ${forced.code ?? ''}`)
  stage.check(forced.status === 409, 'nor can it be activated by hand')

  stage.say('')
  stage.say(`${stage.people} people come for what each list shows first, look at position p`)
  stage.say('with probability 1/p, and click it when they see it …')
  await comeForTheFirst(stage)
  stage.say('… and a model that fits together, but ranks upside down, is synced:')
  const state = {
    weights: [-1],
    bias: 0,
    scaler: { mean: [0], std: [1] },
    featureNames: ['fusedScore'],
    trainingProgress: 1,
  }
  await stage.call('/nous/learn/metrics')
  const before = await stage.search(QUERIES[0] ?? '')
  await stage.show('/nous/learn/models/sync', { modelId: 'upside-down', state })
  stage.say('The gate estimates from the logged searches what it would have done:')
  const { data } = await stage.show('/nous/learn/models/upside-down/evaluate', {})
  const gate = isObject(data.gate) ? data.gate : {}
  sayGate(stage, data.status, gate)
  stage.check(
    data.status === 'REJECTED' && gate.outcome === 'refuse',
    'the gate refuses it: it would lose clicks for certain',
  )
  const after = await stage.search(QUERIES[0] ?? '')
  stage.check(isSameList(before.hits, after.hits), 'the list is the same as before')
}

/**
 * They want a document, wherever it is shown. Of people who clicked whatever is first the service would learn that nobody
 * looks further down; one of them to whom it happened to show the last hit first would then count as much as 20 others.
 */
async function comeForTheFirst(stage: Stage): Promise<void> {
  const random = seeded(SEED)
  const queryOf = (person: number) => QUERIES[person % QUERIES.length] ?? ''
  const choices = new Map<string, ReturnType<typeof glancingFor>>()
  for (const query of QUERIES) {
    const { hits } = await stage.search(query)
    choices.set(query, glancingFor(hits[0]?.id ?? '', random))
  }
  const choose = (found: FoundHits, person: number) => choices.get(queryOf(person))?.(found)
  await crowd(stage, stage.people, { query: queryOf, choose })
}

/** The gate's figures: estimated gain of a search, and the interval of the difference. */
function sayGate(stage: Stage, status: unknown, gate: Record<string, unknown>): void {
  const figures = isObject(gate.figures) ? gate.figures : {}
  if (figures.difference === undefined) {
    stage.say(`${status}, ${figures.verdict}: ${figures.pages} searches are too few to tell`)
    return
  }
  const interval = isObject(figures.interval) ? figures.interval : {}
  const number = (value: unknown) => Number(value).toFixed(3)
  const gain = `${number(figures.candidate)} gained a search instead of ${number(figures.baseline)}`
  const range = `95 % interval ${number(interval.low)} … ${number(interval.high)}`
  stage.say(`${status}, ${figures.verdict}: ${gain}`)
  stage.say(`difference ${number(figures.difference)}, ${range}, from ${figures.pages} searches`)
}
