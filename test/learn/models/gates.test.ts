import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { RELEARNING } from '../../../src/learn/loop/fold.ts'
import { native } from '../../../src/native.ts'
import { ShownSearch } from '../../../src/schema/impression.ts'
import type { Standing } from '../../../src/schema/model-record.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'
import { openSimulation, relevance, type SimulatedUser } from './simulation.ts'

let running: RunningApp
let users: SimulatedUser[]

beforeAll(async () => {
  running = await startApp({
    MODEL_TRAIN_AUTO: 'false',
    MODEL_TRAIN_CLICKS_MIN: '200',
    MODEL_GATE_SAMPLE_MIN: '40',
    MODEL_SHADOW_SEARCHES: '200',
    MODEL_CANARY_SEARCHES_MIN: '150',
    MODEL_CANARY_SHARE: '0.3',
    EXPLORATION_SHARE: '0',
  })
  users = await openSimulation(running.app, 1).users(300)
})
afterAll(() => running.close())

interface Trained {
  status: string
  version: number
  kind: string
  gate: { outcome: string; figures: { effectiveUnits: number; difference: number } }
}
interface Shown {
  status: string
  versions: { version: number; status: string; stage?: string; gates: { gate: string }[] }[]
}

/** More of the same until the condition holds. */
async function goOn(condition: () => Promise<boolean>, more: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await more()
    if (
      await waitUntil(condition, 4000).then(
        () => true,
        () => false,
      )
    )
      return
  }
}

/** A ranker that knows nothing of what people want. */
const blind = (row: number[]) => row[row.length - 1]!
const shown = async (id: string) =>
  (await running.call<Shown>('GET', `/nous/learn/models/${id}`)).data
const types = async (modelId: string) => {
  const { data } = await running.call<{ events: { type: string; data: { gate?: string } }[] }>(
    'GET',
    `/nous/learn/events?modelId=${modelId}&order=asc`,
  )
  return data.events.map(({ type, data: { gate } }) => (gate ? `${type} ${gate}` : type))
}

/** People search, those whom a model serves by its scores, until the last gate has spoken. */
async function serveUntilDecided(
  id: string,
  simulation: ReturnType<typeof openSimulation>,
  score: (row: number[]) => number,
): Promise<void> {
  const { models } = running.app.learning
  const decided = async () => (await shown(id)).status !== 'SHADOW'
  await goOn(decided, () =>
    simulation.run({
      users,
      searches: 2,
      ranker: blind,
      model: ({ unit }) => {
        const name = models.servedModel(unit)?.name
        return name === undefined ? undefined : { name, score }
      },
    }),
  )
}

it('a model that learned from clicks goes from estimate over shadow and a share of users to all', async () => {
  const simulation = openSimulation(running.app, 2)
  await simulation.run({ users, searches: 6, ranker: blind })

  const { data } = await running.call<Trained>('POST', '/nous/learn/models/train', {
    modelId: 'good',
  })
  expect(data).toMatchObject({ status: 'COMPLETED', version: 1, gate: { outcome: 'pass' } })
  expect(data.gate.figures.effectiveUnits).toBeGreaterThan(40)
  expect(data.gate.figures.difference).toBeGreaterThan(0)
  expect(await shown('good')).toMatchObject({ status: 'SHADOW', versions: [{ stage: 'SHADOW' }] })
  const { models } = running.app.learning
  await waitUntil(() => models.shadowModel()?.name === 'good@1')
  expect(models.servedModel(users[0]!.unit)).toBeUndefined()

  const { handle } = models.shadowModel()!
  const score = (row: number[]) => native.predict(handle, Float32Array.from(row))[0]!
  await simulation.run({ users, searches: 2, ranker: blind, shadow: { name: 'good@1', score } })
  await waitUntil(async () => (await shown('good')).versions[0]!.stage === 'CANARY')

  const served = users.filter(({ unit }) => models.servedModel(unit)?.name === 'good@1')
  expect(served.length).toBeGreaterThan(users.length * 0.2)
  expect(served.length).toBeLessThan(users.length * 0.4)
  expect(models.servedModel(undefined)).toBeUndefined()
  await serveUntilDecided('good', simulation, score)
  expect((await shown('good')).status).toBe('ACTIVE')
  expect(models.servedModel(undefined)?.name).toBe('good@1')
  expect(await types('good')).toEqual([
    'TRAINING_STARTED',
    'MODEL_SYNCED',
    'TRAINING_COMPLETED',
    'GATE_PASSED HELD_OUT',
    'GATE_PASSED SHADOW',
    'GATE_PASSED CANARY',
    'MODEL_ACTIVATED',
  ])
  expect((await shown('good')).versions[0]!.gates.map(({ gate }) => gate)).toEqual([
    'HELD_OUT',
    'SHADOW',
    'CANARY',
  ])
})

const weighing = (weight: number) => ({
  weights: [weight],
  bias: 0,
  featureNames: ['vectorScore'],
})
const evaluate = (id: string) =>
  running.call<{ status: string; gate: { outcome: string; figures: object } }>(
    'POST',
    `/nous/learn/models/${id}/evaluate`,
  )

it('a bad model is refused by the first gate', async () => {
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'bad', state: weighing(-1) })
  const { data } = await evaluate('bad')
  expect(data).toMatchObject({ status: 'REJECTED', gate: { outcome: 'refuse' } })
  expect(await types('bad')).toEqual([
    'MODEL_SYNCED',
    'GATE_REFUSED HELD_OUT',
    'MODEL_REJECTED HELD_OUT',
  ])
  expect(await evaluate('bad')).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' })
})

it('a gate and a training wait while what people did is counted anew', async () => {
  const { store } = running.app
  const { meta } = store.tables
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'late', state: weighing(-2) })
  await store.write(() => meta.put(RELEARNING, 0))
  // Whatever fails, those behind this one must not wait.
  onTestFinished(() => store.write(() => void meta.remove(RELEARNING)))
  const asked = { modelId: 'late', kind: 'linear' }
  const training = running.call('POST', '/nous/learn/models/train', asked)
  const answers = [evaluate('late'), training] as const
  expect(await Promise.race([...answers, sleep(1500, 'nothing yet')])).toBe('nothing yet')
  await store.write(() => meta.remove(RELEARNING))
  const [judged, trained] = await Promise.all(answers)
  expect(judged.data).toMatchObject({ gate: { outcome: 'refuse' } })
  expect(trained.data).toMatchObject({ status: 'COMPLETED', version: 2 })
})

it('a model like the one that ranks is not let through', async () => {
  await running.call('POST', '/nous/learn/models/sync', {
    modelId: 'same',
    state: (await running.call<{ state: object }>('GET', '/nous/learn/models/good?state=true')).data
      .state,
  })
  const { data } = await evaluate('same')
  expect(data.gate.outcome).not.toBe('pass')
})

interface Listed {
  trial: { modelId: string; stage: string; since: string; control: string | null } | null
}
const trial = async () => (await running.call<Listed>('GET', '/nous/learn/models')).data.trial

/** Somebody searches; what is read of it names the model that scored it unseen, and holds only what the API describes. */
async function expectShadowDescribed(name: string): Promise<void> {
  const { call } = running
  const document = { title: 'orchard' }
  await call('POST', '/cortex/documents', { index: 'w', document })
  const session = await call<{ sessionId: string }>('POST', '/cortex/sessions', { userId: 'ann' })
  const { sessionId } = session.data
  const search = { query: 'orchard', index: 'w', sessionId }
  const found = await call<{ searchContext: { queryId: string } }>('POST', '/cortex/search', search)
  await running.app.learning.caughtUp()
  const path = `/nous/learn/searches/${found.data.searchContext.queryId}`
  const { data } = await call<Record<string, unknown>>('GET', path)
  expect(data).toMatchObject({ model: 'weak@1', shadowModel: name, unit: 'ann' })
  expect(data.shadowScores).toHaveLength(1)
  const { properties } = ShownSearch
  expect(Object.keys(data).filter((key) => !(key in properties))).toEqual([])
}

it('a trial begins anew when who ranks the others has changed, and ends for a newer model', async () => {
  await running.call('POST', '/nous/learn/models/good/rollback')
  const good = { ...weighing(1), note: 'old' }
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'older', state: good })
  expect((await evaluate('older')).data.status).toBe('SHADOW')
  const before = await trial()
  expect(before).toMatchObject({ modelId: 'older', stage: 'SHADOW', control: null })
  const { app } = running
  const shadow = { name: 'older@1', score: relevance }
  await openSimulation(app, 9).run({
    ...{ users: users.slice(0, 3), searches: 10, ranker: blind, shadow },
  })
  await app.learning.caughtUp()
  const weak = { weights: [1], featureNames: ['indexSize'] }
  await running.call('POST', '/nous/learn/models/sync', {
    ...{ modelId: 'weak', state: weak, activate: true },
  })
  const anew = await trial()
  expect(anew).toMatchObject({ modelId: 'older', stage: 'SHADOW', control: 'weak@1' })
  expect(anew!.since > before!.since).toBe(true)
  // What it was asked for before counts no more.
  const standing = app.store.tables.meta.get('models') as Standing
  expect(standing.trial).toMatchObject({ base: 30 })
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'newer', state: weighing(1) })
  expect((await evaluate('newer')).data.status).toBe('SHADOW')
  expect(await trial()).toMatchObject({ modelId: 'newer', control: 'weak@1' })
  expect((await shown('older')).status).toBe('ARCHIVED')
  await expectShadowDescribed('newer@1')
  // By hand it passes all gates at once.
  await running.call('POST', '/nous/learn/models/newer/activate')
  expect(await trial()).toBeNull()
  expect((await shown('newer')).status).toBe('ACTIVE')
  await running.call('POST', '/nous/learn/models/newer/rollback')
  await running.call('POST', '/nous/learn/models/weak/rollback')
})

it('a trial is ended by hand in one step, and may be had again', async () => {
  const roll = (id: string, body?: object) =>
    running.call<{ active: object | null }>('POST', `/nous/learn/models/${id}/rollback`, body)
  const sync = (weight: number, more: object = {}) =>
    running.must('POST', '/nous/learn/models/sync', {
      ...{ modelId: 'halted', state: weighing(weight), ...more },
    })
  await sync(1)
  expect((await evaluate('halted')).data.status).toBe('SHADOW')
  expect((await roll('halted')).data).toMatchObject({
    version: 1,
    status: 'ARCHIVED',
    active: null,
  })
  expect(await trial()).toBeNull()
  expect(running.app.learning.models.shadowModel()).toBeUndefined()
  expect((await types('halted')).slice(-2)).toEqual(['GATE_PASSED HELD_OUT', 'MODEL_ARCHIVED'])
  expect(await roll('halted')).toMatchObject({ status: 409, code: 'NOT_ACTIVE' })
  // Of a model that ranks in another version, too.
  await sync(-1, { activate: true })
  expect(await roll('halted', { trial: true })).toMatchObject({ status: 409, code: 'NOT_ACTIVE' })
  const again = { version: 1 }
  expect(await running.must('POST', '/nous/learn/models/halted/evaluate', again)).toMatchObject({
    status: 'SHADOW',
  })
  expect((await roll('halted', { trial: true })).data).toMatchObject({
    ...{ version: 1, status: 'ARCHIVED', active: { modelId: 'halted', version: 2 } },
  })
  expect(await trial()).toBeNull()
  expect((await roll('halted')).data).toMatchObject({ version: 2, active: null })
})

it('a model that harms its share of the users is rejected, and they get the other again', async () => {
  const simulation = openSimulation(running.app, 3)
  const { models } = running.app.learning
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'harm', state: weighing(1) })
  expect((await evaluate('harm')).data).toMatchObject({ status: 'SHADOW', stage: 'SHADOW' })
  // It promises much in shadow, and then ranks the other way round.
  const promise = { name: 'harm@1', score: relevance }
  await simulation.run({ users, searches: 2, ranker: blind, shadow: promise })
  await waitUntil(async () => (await shown('harm')).versions[0]!.stage === 'CANARY')
  await serveUntilDecided('harm', simulation, (row) => -relevance(row))
  expect((await shown('harm')).status).toBe('REJECTED')
  expect(users.filter(({ unit }) => models.servedModel(unit) !== undefined)).toEqual([])
  expect((await types('harm')).slice(-2)).toEqual(['GATE_REFUSED CANARY', 'MODEL_REJECTED CANARY'])
  const { data } = await running.call<{ events: { priority: string }[] }>(
    'GET',
    '/nous/learn/events?type=MODEL_REJECTED&modelId=harm',
  )
  expect(data.events.map(({ priority }) => priority)).toEqual(['HIGH'])
})
