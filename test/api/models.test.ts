import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceError } from '../../src/errors.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ MODEL_VERSIONS_MAX: '4', MODELS_MAX: '60' })
})
afterAll(() => running.close())

const FEATURES = ['textScore', 'vectorScore', 'clickMemory']
const state = (weights: unknown = [0.5, 0.3, 0.2], more: object = {}) => ({
  weights,
  bias: 0.1,
  scaler: { mean: [0, 0, 0], std: [1, 0, 2] },
  featureNames: FEATURES,
  ...more,
})

interface Synced {
  modelId: string
  version: number
  status: string
  servable: boolean
  reasons?: string[]
  checksum: string
  previousVersion: number | null
  updatedAt: string
  unchanged: boolean
  warnings?: string[]
}
interface Shown {
  version: number
  status: string
  active: number | null
  versions: { version: number; status: string; gates: object[]; usage: object }[]
  state?: object
}
interface Event {
  type: string
  modelId: string
  data: Record<string, unknown>
}

const sync = (modelId: string, sent: unknown, more: object = {}) =>
  running.call<Synced>('POST', '/nous/learn/models/sync', { modelId, state: sent, ...more })
const get = (id: string, query = '') =>
  running.call<Shown>('GET', `/nous/learn/models/${id}${query}`)
const activate = (id: string, body?: object) =>
  running.call<{ version: number; previous: object | null; unchanged: boolean }>(
    'POST',
    `/nous/learn/models/${id}/activate`,
    body,
  )
const rollBack = (id: string) =>
  running.call<{ version: number; status: string; active: object | null }>(
    'POST',
    `/nous/learn/models/${id}/rollback`,
  )
async function eventsOf(modelId: string): Promise<Event[]> {
  const { data } = await running.call<{ events: Event[] }>(
    'GET',
    `/nous/learn/events?modelId=${modelId}&order=asc`,
  )
  return data.events
}

describe('a synced state', () => {
  it('is a version that ranks nobody, with its checksum', async () => {
    const made = await sync('first', state())
    expect(made.status).toBe(200)
    expect(made.data).toEqual({
      modelId: 'first',
      version: 1,
      status: 'CANDIDATE',
      servable: true,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      previousVersion: null,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      unchanged: false,
    })
    expect((await get('first')).data).toMatchObject({ status: 'CANDIDATE', active: null })
    expect(await eventsOf('first')).toMatchObject([{ type: 'MODEL_SYNCED', data: { version: 1 } }])
  })

  it('with the same content is the same version, whatever the order of its keys', async () => {
    const first = await sync('same', state())
    const reversed = Object.fromEntries(Object.entries(state()).reverse())
    const again = await sync('same', reversed)
    expect(again.data).toEqual({ ...first.data, unchanged: true })
    const other = await sync('same', state([1, 1, 1]))
    expect(other.data).toMatchObject({ version: 2, previousVersion: 1, unchanged: false })
    expect((await sync('same', state())).data).toMatchObject({ version: 1, unchanged: true })
    expect(await eventsOf('same')).toHaveLength(2)
  })

  it.each([
    ['a quoted weights', { weights: '[1,2,3]' }, 'state.weights'],
    ['a quoted bias', { bias: '0' }, 'state.bias'],
    ['a quoted mean', { scaler: { mean: '[0]' } }, 'state.scaler.mean'],
    ['a quoted std', { scaler: { std: '[1]' } }, 'state.scaler.std'],
    ['quoted featureNames', { featureNames: 'textScore' }, 'state.featureNames'],
    ['a quoted accuracy', { metrics: { accuracy: '0.9' } }, 'state.metrics.accuracy'],
    ['a quoted rate', { hyperparameters: { epochs: '3' } }, 'state.hyperparameters.epochs'],
    ['a quoted progress', { trainingProgress: '1' }, 'state.trainingProgress'],
  ])('with %s is refused', async (_, more, path) => {
    const answer = await sync('refused', state([1, 1, 1], more))
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details: [{ path }] })
    expect((await get('refused')).status).toBe(404)
  })

  it.each([
    ['a list', [1, 2]],
    ['an object', { any: 'thing' }],
    ['a number', 3],
    ['null', null],
    ['a boolean', true],
  ])('takes %s as any of its numbers, and says why it can not rank', async (_, value) => {
    const sent = { weights: value, bias: value, scaler: { mean: value, std: value } }
    const answer = await sync('any', { ...sent, featureNames: value })
    expect(answer).toMatchObject({ status: 200, data: { servable: false } })
    expect(answer.data.reasons!.length).toBeGreaterThan(0)
  })

  it.each([
    ['weights of another length', state([1, 2]), /weights has 2 numbers/],
    ['a mean of another length', state([1, 2, 3], { scaler: { mean: [1] } }), /scaler\.mean has 1/],
    ['a std of another length', state([1, 2, 3], { scaler: { std: [1] } }), /scaler\.std has 1/],
    ['no weights', { featureNames: FEATURES }, /weights is missing/],
    ['no names', { weights: [1] }, /featureNames is missing/],
    [
      'an unknown name',
      state([1, 2, 3], { featureNames: ['textScore', 'x', 'y'] }),
      /at featureNames\[1\], featureNames\[2\]; it/,
    ],
    ['a text among weights', state([1, 'a', 3]), /not a number/],
    ['trees that are none', state({ learner: {} }), /^No XGBoost model/],
    ['a weight beyond all scores', state([1e31, 0, 0]), /^The model's numbers are too large/],
  ])('with %s is kept and not servable', async (_, sent, reason) => {
    const answer = await sync('unservable', sent)
    expect(answer.data).toMatchObject({ servable: false, status: 'CANDIDATE' })
    expect(answer.data.reasons!.join(' ')).toMatch(reason)
    for (const sentence of answer.data.reasons!) expect(sentence).toMatch(/^\w.*\.$/s)
    expect(await activate('unservable', { version: answer.data.version })).toMatchObject({
      status: 409,
      code: 'MODEL_NOT_SERVABLE',
    })
  })

  it('with a number out of range is refused: it could not be stored as it was sent', async () => {
    const text = JSON.stringify({ modelId: 'infinite', state: state([1, 2, 3]) })
    const answer = await running.call(
      'POST',
      '/nous/learn/models/sync',
      text.replace('[1,2,3]', '[1,2,1e999]'),
    )
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(answer.details[0]?.path).toBe('state.weights[2]')
  })

  it('is stored whole and read back', async () => {
    const metrics = { accuracy: 0.9, f1Score: 0.8 }
    const sent = state([1, 2, 3], { metrics, currentEpoch: 3, own: { kept: [null, 'x'] } })
    await sync('whole', sent)
    const { data } = await get('whole', '?state=true')
    expect(data.state).toEqual(sent)
    expect(data.versions[0]).toMatchObject({
      kind: 'linear',
      features: FEATURES,
      metrics,
      gates: [],
    })
    expect((await get('whole', '?version=1')).data).toEqual(data)
    expect((await get('whole', '?state=false')).data).not.toHaveProperty('state')
    expect((await get('whole', '?version=2')).code).toBe('MODEL_NOT_FOUND')
  })

  it('of 8 MiB is taken, of more than the limit is not', async () => {
    const weights = new Array(1_000_000).fill(0.123456)
    const sent = await sync('large', { weights, featureNames: FEATURES })
    expect(sent.data.reasons).toEqual([
      'weights has 1000000 numbers, but there are 3 featureNames.',
    ])
    const over = await sync('large', { notes: 'x'.repeat(17 << 20) })
    expect(over).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })
})

describe('activation', () => {
  it('with the sync itself lets the model rank at once', async () => {
    const answer = await sync('eager', state(), { activate: true })
    expect(answer.data).toMatchObject({ status: 'ACTIVE', version: 1 })
    const list = await running.call<{ active: object }>('GET', '/nous/learn/models')
    expect(list.data.active).toEqual({ modelId: 'eager', version: 1 })
    expect(running.app.learning.models.servedModel(undefined)?.name).toBe('eager@1')
    const again = await sync('eager', state(), { activate: true })
    expect(again.data).toMatchObject({ status: 'ACTIVE', version: 1, unchanged: true })
  })

  it.each([
    ['an error', 'failed', { lastTrainingError: 'diverged' }],
    ['half the progress', 'half', { trainingProgress: 0.5 }],
  ])(
    'waits until a state with %s is done: each step is kept, and nothing else gives way',
    async (_, id, more) => {
      await sync('eager', state(), { activate: true })
      const step = await sync(id, state([1, 1, 1], more), { activate: true })
      expect(step).toMatchObject({
        status: 200,
        data: { version: 1, servable: true, status: 'CANDIDATE', unchanged: false },
      })
      expect(step.data.reasons).toHaveLength(1)
      expect(step.data.warnings).toEqual([expect.stringContaining('not activated')])
      expect((await get(id)).data).toMatchObject({ version: 1, status: 'CANDIDATE', active: null })
      expect(running.app.learning.models.servedModel(undefined)?.name).toBe('eager@1')
      expect((await activate(id)).code).toBe('MODEL_NOT_SERVABLE')
      const quiet = await sync(id, state([1, 1, 1], more))
      expect(quiet.data).toMatchObject({ version: 1, unchanged: true })
      expect(quiet.data.warnings).toBeUndefined()
      const last = state([1, 2, 3], { lastTrainingError: '', trainingProgress: 1 })
      const done = await sync(id, last, { activate: true })
      expect(done.data).toMatchObject({ version: 2, status: 'ACTIVE' })
      expect(done.data.warnings).toBeUndefined()
    },
  )

  it('of a state whose numbers do not fit together is left, with the reasons', async () => {
    const answer = await sync('unfit', state([1, 2]), { activate: true })
    expect(answer).toMatchObject({ status: 200, data: { servable: false, status: 'CANDIDATE' } })
    expect(answer.data.reasons).toEqual(['weights has 2 numbers, but there are 3 featureNames.'])
    expect(answer.data.warnings).toEqual([expect.stringContaining('not activated')])
  })

  it('archives the one before, and a rollback returns to it in one step', async () => {
    await sync('steps', state([1, 0, 0]))
    await sync('steps', state([0, 1, 0]))
    const before = (await running.call<{ active: object }>('GET', '/nous/learn/models')).data.active
    expect((await activate('steps', { version: 1 })).data).toMatchObject({ previous: before })
    expect((await activate('steps')).data).toMatchObject({
      version: 2,
      previous: { modelId: 'steps', version: 1 },
      unchanged: false,
    })
    expect((await activate('steps')).data).toMatchObject({
      ...{ version: 2, previous: null, unchanged: true },
    })
    expect((await get('steps')).data.versions).toMatchObject([
      { version: 2, status: 'ACTIVE' },
      { version: 1, status: 'ARCHIVED' },
    ])
    expect((await rollBack('steps')).data).toMatchObject({
      version: 2,
      status: 'ARCHIVED',
      active: { modelId: 'steps', version: 1 },
    })
    expect(running.app.learning.models.servedModel('anybody')?.name).toBe('steps@1')
    // No earlier version of its own is left: what was active before it.
    expect((await rollBack('steps')).data.active).toEqual(before)
    const over = await rollBack('steps')
    expect(over).toMatchObject({ status: 409, code: 'NOT_ACTIVE' })
    expect((await eventsOf('steps')).map(({ type }) => type)).toEqual([
      'MODEL_SYNCED',
      'MODEL_SYNCED',
      'MODEL_ACTIVATED',
      'MODEL_ACTIVATED',
      'MODEL_ROLLED_BACK',
      'MODEL_ROLLED_BACK',
    ])
  })

  it('of what is unknown is 404, of a bad version 400', async () => {
    expect((await activate('nobody')).code).toBe('MODEL_NOT_FOUND')
    expect((await rollBack('nobody')).code).toBe('MODEL_NOT_FOUND')
    await sync('known', state())
    expect(await activate('known', { version: 9 })).toMatchObject({
      ...{ code: 'MODEL_NOT_FOUND', details: [{ path: 'version' }] },
    })
    expect((await activate('known', { version: 'one' })).code).toBe('VALIDATION_FAILED')
    expect((await rollBack('known')).code).toBe('NOT_ACTIVE')
  })

  it('that could not be loaded for the moment is asked for again in the same words', async () => {
    const { pool } = running.app
    const run = pool.run
    pool.run = (name, input) =>
      'source' in input && 'dataDir' in input.source
        ? Promise.reject(serviceError('OVERLOADED', 'Not now.', { retryAfterS: 1 }))
        : run(name, input)
    const ask = () => sync('later', state([1, 1, 2]), { activate: true })
    expect((await ask()).code).toBe('OVERLOADED')
    pool.run = run
    expect((await get('later')).data).toMatchObject({ status: 'CANDIDATE', active: null })
    expect((await ask()).data).toMatchObject({ version: 1, status: 'ACTIVE', unchanged: true })
    await rollBack('later')
  })

  it('is still there after a restart', async () => {
    await sync('durable', state([3, 2, 1]), { activate: true })
    await running.restart()
    const { models } = running.app.learning
    await waitUntil(() => models.servedModel(undefined)?.name === 'durable@1')
    expect(models.figures()).toMatchObject({ active: { modelId: 'durable' }, serving: true })
  })

  it('of a model whose state is damaged serves nobody, and says so', async () => {
    await sync('damaged', state([2, 2, 2]), { activate: true })
    const { store } = running.app
    await store.write(() => store.tables.modelStates.put(['damaged', 1], Buffer.from('{}')))
    await running.restart()
    const { models } = running.app.learning
    await waitUntil(() => models.figures().failed.length > 0)
    expect(models.figures().failed).toMatchObject([{ model: 'damaged@1' }])
    expect(models.servedModel('anybody')).toBeUndefined()
    expect(models.figures().serving).toBe(false)
    const health = await running.call<{ models: object; overall: boolean }>('GET', '/nous/health')
    expect(health).toMatchObject({
      status: 503,
      data: { models: { serving: { operational: false } }, overall: false },
    })
    const typesOfDamaged = async () => (await eventsOf('damaged')).map(({ type }) => type)
    await waitUntil(async () => (await typesOfDamaged()).length === 3)
    expect(await typesOfDamaged()).toEqual(['MODEL_SYNCED', 'MODEL_ACTIVATED', 'MODEL_LOAD_FAILED'])
    expect((await rollBack('damaged')).data.active).toEqual({ modelId: 'durable', version: 1 })
    expect((await running.call('GET', '/nous/health')).status).toBe(200)
  })

  it('of XGBoost trees leaves a scaler out, and says so unless it would change nothing', async () => {
    const trees = { weights: stump(), featureNames: FEATURES }
    const scaled = { ...trees, scaler: { mean: [[0, 0.5, 0]], std: { textScore: 1 } } }
    const warnings = [expect.stringMatching(/^scaler: .*does not count/)]
    const first = await sync('scaled', scaled)
    expect(first.data).toMatchObject({ servable: true, warnings })
    expect((await sync('scaled', scaled)).data).toMatchObject({ unchanged: true, warnings })
    const both = await sync('scaled', { ...scaled, trainingProgress: 0 }, { activate: true })
    expect(both.data.warnings).toHaveLength(2)
    const plain = await sync('scaled', { ...trees, scaler: { mean: [0, 0, 0], std: [1, 1, 0] } })
    expect(plain.data).toMatchObject({ version: 3, servable: true })
    expect(plain.data.warnings).toBeUndefined()
    expect((await get('scaled')).data.versions[0]).not.toHaveProperty('warnings')
  })

  it('of XGBoost trees works as of weights', async () => {
    const answer = await sync(
      'trees',
      { weights: stump(), featureNames: FEATURES },
      { activate: true },
    )
    expect(answer.error).toBeUndefined()
    expect(answer.data).toMatchObject({ status: 'ACTIVE', servable: true })
    const { data } = await get('trees')
    expect(data.versions[0]).toMatchObject({ kind: 'trees' })
  })
})

it('a model is asked for by its name, with or without a version', async () => {
  await sync('named', state([1, 0, 0]))
  await sync('named', state([0, 1, 0]))
  const { models } = running.app.learning
  await waitUntil(() => models.namedModel('named')?.name === 'named@2')
  await waitUntil(() => models.namedModel('named@1')?.name === 'named@1')
  expect(models.namedModel('named@7')).toBeUndefined()
  expect(models.namedModel('nobody')).toBeUndefined()
})

it('old versions go first when there are too many, what ranks stays', async () => {
  await sync('many', state([0, 0, 1]), { activate: true })
  for (let n = 1; n <= 5; n++) await sync('many', state([n, 0, 0]))
  const { data } = await get('many')
  expect(data.versions.map(({ version }) => version)).toEqual([6, 5, 4, 1])
  expect((await sync('many', state([1, 0, 0]))).data).toMatchObject({
    version: 7,
    unchanged: false,
  })
})

it('the list names every model, and those of one status', async () => {
  const all = await running.call<{ models: { modelId: string }[]; total: number }>(
    'GET',
    '/nous/learn/models?limit=1000',
  )
  expect(all.data.total).toBe(all.data.models.length)
  const active = await running.call<{ models: { modelId: string }[] }>(
    'GET',
    '/nous/learn/models?status=active',
  )
  expect(active.data.models.map(({ modelId }) => modelId)).toEqual(['many'])
  const alias = await running.call('GET', '/nous/learn/models/sync?limit=1000')
  expect(alias.data).toEqual(all.data)
  expect((await running.call('GET', '/nous/learn/models?limit=0')).status).toBe(400)
})

it('pages of the list hold every model once, in the order of their names', async () => {
  interface Page {
    models: { modelId: string }[]
    total: number
    nextCursor?: string
  }
  const listed: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const cursor: string = next === '' ? '' : `&cursor=${next}`
    const { data } = await running.call<Page>('GET', `/nous/learn/models?limit=2${cursor}`)
    expect(data.models.length).toBeLessThanOrEqual(2)
    listed.push(...data.models.map(({ modelId }) => modelId))
    if (data.nextCursor === undefined) expect(listed).toHaveLength(data.total)
    next = data.nextCursor
  }
  expect(listed.length).toBeGreaterThan(2)
  expect(listed).toEqual([...new Set(listed)].sort())
  const wrong = await running.call('GET', '/nous/learn/models?cursor=wat')
  expect([wrong.status, wrong.code]).toEqual([400, 'INVALID_CURSOR'])
})

it('a new model is not called what the address of the list has in place of a name', async () => {
  const refused = { status: 400, details: [expect.objectContaining({ path: 'modelId' })] }
  expect(await sync('sync', state())).toMatchObject(refused)
  const training = await running.call('POST', '/nous/learn/models/train', { modelId: 'sync' })
  expect(training).toMatchObject(refused)
  // One that was called so before goes on, and is read by an address that says so in another way.
  const { store } = running.app
  const times = { createdMs: Date.now(), updatedMs: Date.now() }
  await store.write(() => store.tables.models.put('sync', { ...times, latest: 0 }))
  expect((await sync('sync', state())).status).toBe(200)
  expect((await get('%73ync')).data).toMatchObject({ modelId: 'sync' })
})

it('there is a limit to the number of models', async () => {
  for (let n = 0; ; n++) {
    const { status, code, error } = await sync(`limit-${n}`, state())
    if (status === 200) continue
    expect({ status, code }).toEqual({ status: 429, code: 'TOO_MANY_MODELS' })
    expect(error).toContain('the setting MODELS_MAX')
    break
  }
  expect((await sync('many', state([7, 7, 7]))).status).toBe(200)
})

it('a training without evidence says how much it needs', async () => {
  const answer = await running.call('POST', '/nous/learn/models/train', {})
  expect(answer).toMatchObject({
    status: 200,
    data: { modelId: 'attune', status: 'NOT_ENOUGH_DATA', needed: 200, have: 0 },
  })
  const bad = await running.call('POST', '/nous/learn/models/train', { kind: 'forest' })
  expect(bad.status).toBe(400)
})

/** One tree with one split on the first feature, as XGBoost writes it. */
function stump(): object {
  return {
    learner: {
      attributes: {},
      feature_names: [],
      feature_types: [],
      gradient_booster: {
        model: {
          gbtree_model_param: { num_parallel_tree: '1', num_trees: '1' },
          iteration_indptr: [0, 1],
          tree_info: [0],
          trees: [
            {
              base_weights: [0, -1, 1],
              categories: [],
              categories_nodes: [],
              categories_segments: [],
              categories_sizes: [],
              default_left: [0, 0, 0],
              id: 0,
              left_children: [1, -1, -1],
              loss_changes: [1, 0, 0],
              parents: [2147483647, 0, 0],
              right_children: [2, -1, -1],
              split_conditions: [0.5, -1, 1],
              split_indices: [0, 0, 0],
              split_type: [0, 0, 0],
              sum_hessian: [2, 1, 1],
              tree_param: {
                num_deleted: '0',
                num_feature: '3',
                num_nodes: '3',
                size_leaf_vector: '1',
              },
            },
          ],
        },
        name: 'gbtree',
      },
      learner_model_param: {
        base_score: '[0E0]',
        boost_from_average: '1',
        num_class: '0',
        num_feature: '3',
        num_target: '1',
      },
      objective: { lambdarank_param: {}, name: 'rank:ndcg' },
    },
    version: [2, 1, 0],
  }
}
