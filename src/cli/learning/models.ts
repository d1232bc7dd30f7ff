import { isObject } from '../read/record.ts'
import { crowd, lookingFor } from './people.ts'
import { isSameList, type Stage } from './stage.ts'

const QUERIES = [
  'read options from the command line',
  'compress data before sending it',
  'validate an object against a schema',
  'run tests in parallel',
  'share memory between threads',
]
const PATIENCE = 3

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
  stage.say(`${first.status} ${first.code ?? ''}: ${first.error ?? ''}`)
  stage.check(first.status === 409, 'it is refused, with the reasons')

  stage.say('')
  stage.say(`${stage.people} people search and click what they came for, the first hit …`)
  const query = (person: number) => QUERIES[person % QUERIES.length] ?? ''
  const choose = (found: Parameters<ReturnType<typeof lookingFor>>[0]) =>
    lookingFor(found.hits[0]?.id ?? '', PATIENCE)(found)
  await crowd(stage, stage.people, { query, choose })
  stage.say('… and a model that fits together, but ranks upside down, is synced:')
  const state = {
    weights: [-1],
    bias: 0,
    scaler: { mean: [0], std: [1] },
    featureNames: ['fusedScore'],
    trainingProgress: 1,
  }
  const before = await stage.search(QUERIES[0] ?? '')
  await stage.show('/nous/learn/models/sync', { modelId: 'upside-down', state })
  stage.say('The gate estimates from the logged searches what it would have done:')
  const { data } = await stage.show('/nous/learn/models/upside-down/evaluate', {})
  const gate = isObject(data.gate) ? data.gate : {}
  stage.say(`${data.status}: ${JSON.stringify(gate)}`)
  stage.check(
    data.status === 'REJECTED' && gate.outcome === 'refuse',
    'the gate refuses it: it would lose clicks for certain',
  )
  const after = await stage.search(QUERIES[0] ?? '')
  stage.check(isSameList(before.hits, after.hits), 'the list is the same as before')
}
