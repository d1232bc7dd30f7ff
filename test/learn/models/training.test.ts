import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({
    MODEL_TRAIN_CLICKS_MIN: '60',
    MODEL_TRAIN_NEW_MIN: '60',
    MODELS_MAX: '2',
    EXPLORATION_SHARE: '0.5',
    MEMORY_STRENGTH: '0',
  })
  const documents = Array.from({ length: 40 }, (_, n) => ({
    id: `d${n}`,
    document: { title: `pear ${n}`, content: `pear ${'juice '.repeat(1 + ((n * 7) % 40))}` },
  }))
  await running.call('POST', '/cortex/documents/bulk', { index: 'fruit', documents })
})
afterAll(() => running.close())

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; model: string | null }
}
interface Version {
  version: number
  kind: string
  source: string
  features: string[]
  status: string
  training: { pages: number; heldOutPages: number; depth: number; values: object }
  gates: { gate: string; outcome: string; figures: { effectiveUnits: number } }[]
}

/** One user who looks for pears and takes the longest document of the page. */
async function searchAndClick(): Promise<void> {
  const session = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const { sessionId } = session.data
  const asked = { query: 'pear', index: 'fruit', searchType: 'text', sessionId }
  const { data } = await running.call<Found>('POST', '/cortex/search', asked)
  const length = (id: string) => (Number(id.slice(1)) * 7) % 40
  const [best] = data.hits.map(({ id }) => id).sort((a, b) => length(b) - length(a))
  const metadata = { userAction: 'click', resultId: best }
  const feedback = [{ queryId: data.searchContext.queryId, rating: 1, metadata }]
  const told = await running.call('POST', '/cortex/feedback', { sessionId, feedback })
  expect(told.status).toBe(200)
}

async function readVersions(): Promise<Version[]> {
  const { status, data } = await running.call<{ versions: Version[] }>(
    'GET',
    '/nous/learn/models/attune',
  )
  return status === 404 ? [] : data.versions
}

it('nothing is trained before there is enough', async () => {
  await Promise.all(Array.from({ length: 5 }, searchAndClick))
  const { data } = await running.call('POST', '/nous/learn/models/train', {})
  expect(data).toMatchObject({ status: 'NOT_ENOUGH_DATA', needed: 60, have: 5 })
  expect(await readVersions()).toEqual([])
})

it('a model is trained by itself when enough has come, and waits at its gate', async () => {
  for (let n = 0; n < 14; n++) await Promise.all(Array.from({ length: 5 }, searchAndClick))
  await waitUntil(async () => (await readVersions())[0]?.gates.length === 1)
  const [version] = await readVersions()
  expect(version).toMatchObject({
    version: 1,
    source: 'TRAINING',
    status: 'CANDIDATE',
    training: { depth: 10, values: { linear: expect.any(Number), trees: expect.any(Number) } },
    gates: [{ gate: 'HELD_OUT', outcome: 'not_yet' }],
  })
  expect(version!.training.pages + version!.training.heldOutPages).toBeGreaterThanOrEqual(60)
  expect(version!.features).toContain('documentLength')
  const { lastTraining } = running.app.learning.models.figures()
  expect(lastTraining).toMatchObject({ status: 'COMPLETED', modelId: 'attune', version: 1 })
})

it('one training at a time; a second one is told so', async () => {
  const train = () =>
    running.call('POST', '/nous/learn/models/train', { kind: 'linear', modelId: 'twice' })
  const answers = await Promise.all([train(), train()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.code).toBe('TRAINING_RUNNING')
  const trained = answers.find(({ status }) => status === 200)
  expect(trained?.data).toMatchObject({ status: 'COMPLETED', kind: 'linear', version: 1 })
})

it('the same evidence gives the same model, and evidence can be left out', async () => {
  const again = await running.call('POST', '/nous/learn/models/train', {
    kind: 'linear',
    modelId: 'twice',
  })
  expect(again.data).toMatchObject({ status: 'COMPLETED', version: 1 })
  const since = new Date(Date.now() + 60_000).toISOString()
  // A day alone is a moment, too.
  for (const moment of [since, '2090-01-31']) {
    const later = await running.call('POST', '/nous/learn/models/train', { since: moment })
    expect(later.data).toMatchObject({ status: 'NOT_ENOUGH_DATA', have: 0 })
  }
  const bad = await running.call('POST', '/nous/learn/models/train', { since: 'yesterday' })
  expect(bad).toMatchObject({ status: 400, details: [{ path: 'since' }] })
})

it('one whose model finds no room is told so before it works, and in the history as grave', async () => {
  const modelId = 'one too many'
  const { status, data } = await running.call('POST', '/nous/learn/models/train', { modelId })
  expect({ status, data }).toMatchObject({
    status: 200,
    data: { status: 'FAILED', error: expect.stringContaining('MODELS_MAX') },
  })
  const { error } = data as { error: string }
  const told = await running.call('GET', `/nous/learn/events?modelId=${encodeURI(modelId)}`)
  expect(told.data).toMatchObject({
    events: [
      { type: 'TRAINING_FAILED', priority: 'HIGH', data: { error } },
      { type: 'TRAINING_STARTED', priority: 'NORMAL' },
    ],
  })
})

it('what was trained ranks queries that people clicked under, also without click memory', async () => {
  const activated = await running.call('POST', '/nous/learn/models/twice/activate', {})
  expect(activated.data).toMatchObject({ status: 'ACTIVE', version: 1 })
  const modelOf = async (query: string) => {
    const asked = { query, index: 'fruit', searchType: 'text' }
    const { data } = await running.call<Found>('POST', '/cortex/search', asked)
    return data.searchContext.model
  }
  expect([await modelOf('pear'), await modelOf('juice')]).toEqual(['twice@1', null])
})

const LAST = 'modelTraining'
const trainings = async (type: string) => {
  const path = `/nous/learn/events?modelId=attune&type=${type}`
  return (await running.call<{ total: number }>('GET', path)).data.total
}

it('one that the end of the service cut short is begun again, but not a second time', async () => {
  const { store, learning } = running.app
  const { meta } = store.tables
  const last = meta.get(LAST) as { clicked: number }
  const cut = { ...last, modelId: 'attune', status: 'RUNNING', before: 0 }
  const [failed, started] = [
    await trainings('TRAINING_FAILED'),
    await trainings('TRAINING_STARTED'),
  ]
  // Ended by the service's own round: one of the test's beside it would end it a second time.
  await store.write(() => meta.put(LAST, cut))
  await waitUntil(async () => (await trainings('TRAINING_STARTED')) === started + 1)
  await waitUntil(() => learning.models.figures().lastTraining?.status === 'COMPLETED')
  expect(await trainings('TRAINING_FAILED')).toBe(failed + 1)
  expect(meta.get(LAST)).not.toHaveProperty('cuts')
  expect(learning.models.figures().lastTraining).not.toHaveProperty('before')

  await store.write(() => meta.put(LAST, { ...cut, cuts: 1 }))
  await waitUntil(() => (meta.get(LAST) as { status: string }).status === 'FAILED')
  for (let n = 0; n < 3; n++) await learning.tick()
  expect(meta.get(LAST)).toMatchObject({ status: 'FAILED', cuts: 2 })
  expect(await trainings('TRAINING_STARTED')).toBe(started + 1)
})

it('what a crash kept from its gate is judged after the next start', async () => {
  const { store } = running.app
  const { meta, modelVersions } = store.tables
  const record = modelVersions.get(['attune', 1])!
  await store.write(() => {
    modelVersions.put(['attune', 1], { ...record, status: 'CANDIDATE', gates: [] })
    meta.put(LAST, { ...(meta.get(LAST) as object), status: 'COMPLETED', version: 1 })
  })
  await running.restart()
  await waitUntil(async () => (await readVersions()).at(-1)?.gates.length === 1)
  await running.app.learning.tick()
  expect((await readVersions()).at(-1)?.gates).toHaveLength(1)
})

it('one that was cut short is told of also while a model is on trial, and no other begins', async () => {
  const { meta } = running.app.store.tables
  const standing = meta.get('models') as object
  const name = { modelId: 'attune', version: 1, control: 'twice@1' }
  const trial = { ...name, stage: 'SHADOW', number: 1, sinceMs: 0, share: 0.1, base: 0, asked: 0 }
  const last = { ...(meta.get(LAST) as object), modelId: 'attune', status: 'RUNNING', before: 0 }
  // The service that runs until then knows of no trial, and would begin a training.
  running.app.learning.models.tick = async () => undefined
  await running.app.store.write(() => {
    meta.put('models', { ...standing, trial })
    meta.put(LAST, last)
  })
  const [failed, started] = [
    await trainings('TRAINING_FAILED'),
    await trainings('TRAINING_STARTED'),
  ]
  await running.restart()
  await waitUntil(async () => (await trainings('TRAINING_FAILED')) > failed)
  for (let n = 0; n < 3; n++) await running.app.learning.tick()
  expect(await trainings('TRAINING_FAILED')).toBe(failed + 1)
  expect(await trainings('TRAINING_STARTED')).toBe(started)
  await running.app.store.write(() => running.app.store.tables.meta.put('models', standing))
})

it('one that a crash cut short is told of as failed, once', async () => {
  const { store, learning } = running.app
  const named = { modelId: 'cut', trainingId: 'training-1' }
  const begun = { ...named, status: 'RUNNING', clicked: 1e6, startedMs: 1 }
  await store.write(() => store.tables.meta.put('modelTraining', begun))
  for (let n = 0; n < 2; n++) await learning.tick()
  const { data } = await running.call('GET', '/nous/learn/events?modelId=cut')
  expect(data).toMatchObject({
    total: 1,
    events: [{ type: 'TRAINING_FAILED', status: 'FAILED', correlationId: 'training-1' }],
  })
})
