import { describe, expect, it, vi } from 'vitest'
import type { Verb } from '../../../src/learn/experiments/experiments.ts'
import { MACHINES } from '../../../src/learn/states.ts'
import type { ExperimentQuery } from '../../../src/schema/experiment.ts'
import type { ExperimentKind } from '../../../src/schema/experiment-record.ts'
import type { ExperimentStatus } from '../../../src/schema/statuses.ts'
import { type Laboratory, openLaboratory } from './laboratory.ts'

const VERBS: Record<ExperimentKind, Partial<Record<Verb, ExperimentStatus>>> = {
  test: { pause: 'PAUSED', resume: 'ACTIVE', stop: 'STOPPED' },
  experiment: { activate: 'ACTIVE', deactivate: 'PAUSED', stop: 'STOPPED' },
}

/** Brings a new one into a state, each on the way that the service goes itself. */
async function bring(
  lab: Laboratory,
  kind: ExperimentKind,
  status: ExperimentStatus,
  more: object = {},
) {
  const endDate = lab.clock.nowMs + 60_000
  const guardrails = [{ metric: 'errorRate', threshold: 0.1 }]
  const rolloutStrategy = { type: 'immediate' }
  const held = status === 'DRAFT' ? { status } : {}
  const made = await lab.create(kind, { endDate, guardrails, rolloutStrategy, ...held, ...more })
  const id: string = made.testId ?? made.experimentId
  if (status === 'PAUSED')
    await lab.experiments.steer(kind, id, kind === 'test' ? 'pause' : 'deactivate')
  if (status === 'STOPPED') await lab.experiments.steer(kind, id, 'stop')
  if (status === 'COMPLETED') {
    lab.clock.nowMs = endDate
    await lab.experiments.tick()
  }
  if (status === 'ROLLED_BACK')
    await lab.experiments.record({ experimentId: id, variantId: 'b', metrics: { errorRate: 1 } })
  if (status === 'FAILED') {
    // Rows that can't be read: what a damaged store would hold.
    await lab.store.write(() => lab.store.tables.experimentReported.put([id, 'x', 0], 7 as never))
    await lab.experiments.tick()
  }
  expect((await read(lab, id)).status).toBe(status)
  return id
}

type Listed = { total: number; experiments: object[] }
const listed = async (
  { experiments }: Pick<Laboratory, 'experiments'>,
  query: ExperimentQuery,
  kind: ExperimentKind = 'test',
): Promise<Listed> => JSON.parse(Buffer.from(await experiments.list(kind, query)).toString())
const read = async (lab: Laboratory, id: string) => lab.store.tables.experiments.get(id)!

describe.each(['test', 'experiment'] as const)('a %s', (kind) => {
  const machine = MACHINES[kind] as Record<string, readonly string[]>
  const steps = Object.keys(machine).flatMap((from) =>
    Object.entries(VERBS[kind]).map(([verb, to]) => ({ from, verb, to })),
  )
  it.each(steps)('that is $from answers $verb as the table of states says', async (step) => {
    const { from, verb, to } = step as { from: ExperimentStatus; verb: Verb; to: string }
    const lab = openLaboratory()
    const id = await bring(lab, kind, from)
    const before = await read(lab, id)
    const events = lab.events().length
    const asked = lab.experiments.steer(kind, id, verb)
    if (from === to || machine[from]!.includes(to)) {
      expect(await asked).toMatchObject({ status: to })
      expect(lab.events().length - events).toBe(from === to ? 0 : 1)
      return
    }
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_TRANSITION', status: 409 })
    expect(await read(lab, id)).toEqual(before)
    expect(lab.events()).toHaveLength(events)
  })

  it('writes a line of history for each step', async () => {
    const lab = openLaboratory()
    const id = await bring(lab, kind, 'PAUSED')
    await lab.experiments.steer(kind, id, kind === 'test' ? 'resume' : 'activate')
    lab.clock.nowMs += 60_000
    await lab.experiments.tick()
    const words = ['CREATED', 'STARTED', 'PAUSED', 'RESUMED', 'COMPLETED']
    expect(lab.events().map(({ type }) => type)).toEqual(
      words.map((word) => `${kind.toUpperCase()}_${word}`),
    )
    expect(lab.events().every(({ correlationId }) => correlationId === id)).toBe(true)
  })
})

describe('the fallback of an experiment that was rolled back', () => {
  async function rolledBack(sent: object = { fallbackConfig: { minScore: 0.7 } }) {
    const lab = openLaboratory()
    const id = await bring(lab, 'experiment', 'ROLLED_BACK', sent)
    const steer = (verb: Verb) => lab.experiments.steer('experiment', id, verb)
    return { lab, id, steer, applying: () => applying(lab) }
  }
  const applying = (lab: Laboratory) =>
    lab.experiments.variants('u', { sessionId: 'u', metadata: {} } as never).length

  it('is ended by deactivate, once, which its history tells and a restart keeps', async () => {
    const { lab, id, steer } = await rolledBack()
    expect(await lab.get('experiment', id)).toMatchObject({ fallbackInForce: true })
    expect(applying(lab)).toBe(1)
    const { endedMs, reason } = await read(lab, id)
    for (const _ of [1, 2])
      expect(await steer('deactivate')).toMatchObject({
        status: 'ROLLED_BACK',
        fallbackConfig: { minScore: 0.7 },
        fallbackInForce: false,
      })
    expect(applying(lab)).toBe(0)
    expect(await read(lab, id)).toMatchObject({ endedMs, reason })
    const words = lab.events().map(({ type }) => type)
    expect(words.slice(-2)).toEqual(['EXPERIMENT_ROLLED_BACK', 'EXPERIMENT_FALLBACK_ENDED'])
    expect(lab.events().at(-1)).toMatchObject({ status: 'ROLLED_BACK', priority: 'NORMAL' })
    expect(lab.events().at(-1)?.data).not.toHaveProperty('reason')
    const later = await lab.reopen()
    expect(applying(later)).toBe(0)
    expect(await later.get('experiment', id)).toMatchObject({ fallbackInForce: false })
  })

  it('is not what deactivate ends while the experiment runs', async () => {
    const lab = openLaboratory()
    const id = await bring(lab, 'experiment', 'ACTIVE', { fallbackConfig: { minScore: 0.7 } })
    expect(await lab.experiments.steer('experiment', id, 'deactivate')).toMatchObject({
      status: 'PAUSED',
    })
  })

  it('is over at the end date, from when on there is nothing to end', async () => {
    const { lab, id, steer } = await rolledBack()
    lab.clock.nowMs = (await read(lab, id)).endMs
    expect(await lab.get('experiment', id)).toMatchObject({ fallbackInForce: false })
    const events = lab.events().length
    expect(await steer('deactivate')).toMatchObject({ status: 'ROLLED_BACK' })
    expect(lab.events()).toHaveLength(events)
  })

  it('makes room for another when it ends', async () => {
    const { lab, steer } = await rolledBack()
    for (let made = 1; made < 100; made += 1) await lab.create('test', {})
    await expect(lab.create('test', {})).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining('deactivate one first'),
    })
    await steer('deactivate')
    expect(await lab.create('test', {})).toMatchObject({ status: 'ACTIVE' })
  })

  it('is what a refusal of the other verbs points to, while there is one', async () => {
    const { steer } = await rolledBack()
    for (const verb of ['stop', 'activate'] as const)
      await expect(steer(verb)).rejects.toMatchObject({
        code: 'INVALID_TRANSITION',
        message: expect.stringContaining('deactivate ends that'),
      })
    await steer('deactivate')
    await expect(steer('stop')).rejects.toMatchObject({
      message: expect.not.stringContaining('deactivate'),
    })
  })

  it('is not told of where none was sent, and not in force before', async () => {
    const { lab, id } = await rolledBack({})
    expect(await lab.get('experiment', id)).not.toHaveProperty('fallbackInForce')
    const fallbackConfig = { minScore: 0.7 }
    expect(await lab.create('experiment', { fallbackConfig })).toMatchObject({
      fallbackInForce: false,
    })
  })
})

describe('time', () => {
  it('is what whoever steers meets, also between two rounds', async () => {
    const lab = openLaboratory()
    const { nowMs } = lab.clock
    const { testId } = await lab.create('test', { startDate: nowMs + 1000, endDate: nowMs + 5000 })
    lab.clock.nowMs += 1000
    expect(await lab.experiments.steer('test', testId, 'pause')).toMatchObject({ status: 'PAUSED' })
    lab.clock.nowMs += 4000
    const late = lab.experiments.steer('test', testId, 'resume')
    await expect(late).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
    expect((await read(lab, testId)).status).toBe('COMPLETED')
  })

  it('starts what waits for its date, and ends it at its own', async () => {
    const lab = openLaboratory()
    const { nowMs } = lab.clock
    const made = await lab.create('test', { startDate: nowMs + 1000, endDate: nowMs + 5000 })
    const status = async () => (await lab.get('test', made.testId)).status
    const seen = []
    for (const laterMs of [0, 999, 1000, 4999, 5000]) {
      lab.clock.nowMs = nowMs + laterMs
      await lab.experiments.tick()
      seen.push(await status())
    }
    expect(seen).toEqual(['DRAFT', 'DRAFT', 'ACTIVE', 'ACTIVE', 'COMPLETED'])
  })

  it('starts and ends what missed both dates while the service was away', async () => {
    const lab = openLaboratory()
    const { nowMs } = lab.clock
    const made = await lab.create('test', { startDate: nowMs + 1000, endDate: nowMs + 5000 })
    const later = await lab.reopen()
    later.clock.nowMs = nowMs + DAYS
    await later.experiments.tick()
    await later.experiments.tick()
    expect((await later.get('test', made.testId)).status).toBe('COMPLETED')
  })

  it('has the start that was asked for, also when it was started late', async () => {
    const lab = openLaboratory()
    const startDate = lab.clock.nowMs + 1000
    const { testId } = await lab.create('test', { startDate })
    lab.clock.nowMs = startDate + 5000
    await lab.experiments.tick()
    expect(await read(lab, testId)).toMatchObject({ status: 'ACTIVE', startMs: startDate })
  })

  it('shows nobody a variant from its end on, also when no round has ended it yet', async () => {
    const lab = openLaboratory()
    const endDate = lab.clock.nowMs + 5000
    const { testId } = await lab.create('test', { endDate })
    const later = await lab.reopen()
    const shown = () =>
      later.experiments.variants('u', { sessionId: 'u', metadata: {} } as never).length
    later.clock.nowMs = endDate - 1
    expect(shown()).toBe(1)
    later.clock.nowMs = endDate
    expect(shown()).toBe(0)
    expect((await later.get('test', testId)).status).toBe('COMPLETED')
  })

  it('starts and ends in time for whoever reads, is assigned or reports before the next round', async () => {
    const lab = openLaboratory()
    const { nowMs } = lab.clock
    const dates = { startDate: nowMs + 1000, endDate: nowMs + 5000 }
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => lab.create('test', dates)))
    const assigned = () => lab.experiments.assign({ sessionId: 's', testId: two!.testId })
    const reported = (at: typeof one) =>
      lab.experiments.record({
        experimentId: at!.testId,
        variantId: 'a',
        metrics: { latency: 1 },
      })
    await expect(assigned()).rejects.toMatchObject({ code: 'NOT_ACTIVE' })
    lab.clock.nowMs = nowMs + 1000
    expect((await lab.get('test', one!.testId)).status).toBe('ACTIVE')
    expect(await assigned()).toMatchObject({ inExperiment: true })
    expect((await read(lab, three!.testId)).status).toBe('DRAFT')
    expect(await reported(three)).toMatchObject({ recorded: 1, status: 'ACTIVE' })
    lab.clock.nowMs = nowMs + 5000
    await expect(reported(one)).rejects.toMatchObject({ code: 'NOT_ACTIVE' })
    await expect(assigned()).rejects.toMatchObject({ code: 'NOT_ACTIVE' })
    expect(await listed(lab, { status: ['COMPLETED'] })).toMatchObject({ total: 3 })
    expect(
      lab
        .events()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['COMPLETED', 'CREATED', 'STARTED'].flatMap((word) => Array(3).fill(`TEST_${word}`)))
  })

  it('waits where too many are active, and asks the store once a round', async () => {
    const lab = openLaboratory()
    const startDate = lab.clock.nowMs + 1000
    for (let made = 0; made < 105; made++) await lab.create('test', made < 100 ? {} : { startDate })
    lab.clock.nowMs = startDate
    const write = vi.spyOn(lab.store, 'write')
    await lab.experiments.list('test', {})
    expect(write).toHaveBeenCalledTimes(1)
    await expect(lab.experiments.tick()).rejects.toThrow('At most 100')
    expect(write).toHaveBeenCalledTimes(2)
    expect(await listed(lab, { status: ['DRAFT'] })).toMatchObject({ total: 5 })
  })

  it('leaves a draft alone until it is started by hand, which moves its end', async () => {
    const lab = openLaboratory()
    const made = await lab.create('experiment', { status: 'draft' })
    for (const days of [1, 40]) {
      lab.clock.nowMs += days * DAYS
      await lab.experiments.tick()
      expect((await lab.get('experiment', made.experimentId)).status).toBe('DRAFT')
    }
    const started = (await lab.experiments.steer(
      'experiment',
      made.experimentId,
      'activate',
    )) as Record<string, string>
    expect(Date.parse(started.startDate!)).toBe(lab.clock.nowMs)
    expect(Date.parse(started.endDate!)).toBe(lab.clock.nowMs + 30 * DAYS)
  })

  it('is told of as usual when somebody stops it, and as grave when it stops itself', async () => {
    const lab = openLaboratory()
    const endDate = lab.clock.nowMs + DAYS
    const [stopped, forgotten] = [
      await lab.create('test', {}),
      await lab.create('test', { status: 'draft', endDate }),
    ]
    await lab.experiments.steer('test', stopped.testId, 'stop')
    expect(lab.events().at(-1)).toMatchObject({ type: 'TEST_STOPPED', priority: 'NORMAL' })
    lab.clock.nowMs = endDate
    await lab.experiments.tick()
    expect(lab.events().at(-1)).toMatchObject({
      ...{ type: 'TEST_STOPPED', priority: 'HIGH', correlationId: forgotten.testId },
    })
  })

  it('ends a draft whose own end has come', async () => {
    const lab = openLaboratory()
    const endDate = lab.clock.nowMs + DAYS
    const { testId } = await lab.create('test', { status: 'draft', endDate })
    lab.clock.nowMs = endDate
    await lab.experiments.tick()
    const reason = { text: 'Its end came before its start.' }
    expect(await lab.get('test', testId)).toMatchObject({ status: 'STOPPED', reason })
  })
})

it('that was stored with steps of ages is read and listed', async () => {
  const lab = openLaboratory()
  const { experimentId } = await lab.create('experiment', { rolloutStrategy: {} })
  const stored = await read(lab, experimentId)
  const rollout = { ...stored.rollout, intervalMs: 9e15 }
  await lab.store.write(() => lab.store.tables.experiments.put(stored.id, { ...stored, rollout }))
  const later = await lab.reopen()
  const { experiments } = await listed(later, {}, 'experiment')
  const nextCheckAt = new Date(stored.stepSinceMs + 365 * DAYS).toISOString()
  expect(experiments).toMatchObject([{ monitoring: { nextCheckAt } }])
})

describe('an interleaved one whose rankings match different documents, as stores of before hold', () => {
  async function stored(sent: object) {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', { mode: 'interleaving', ...sent })
    const record = await read(lab, testId)
    const [first, second] = record.variants
    const variants = [first!, { ...second!, tuning: { minScore: 0.5 } }]
    await lab.store.write(() => lab.store.tables.experiments.put(testId, { ...record, variants }))
    return { lab: await lab.reopen(), testId }
  }

  it('is not started by hand', async () => {
    const { lab, testId } = await stored({ status: 'draft' })
    await expect(lab.experiments.steer('test', testId, 'resume')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('variants[0] in minScore'),
    })
    await lab.experiments.steer('test', testId, 'stop')
  })

  it('fails on its day, and says why', async () => {
    const { lab, testId } = await stored({ startDate: Date.now() + 1000 * DAYS })
    const { startMs } = await read(lab, testId)
    lab.clock.nowMs = startMs
    await lab.experiments.tick()
    expect(await read(lab, testId)).toMatchObject({
      status: 'FAILED',
      reason: { text: expect.stringContaining('variants[0] in minScore') },
    })
  })
})

describe('the most that may be active', () => {
  const create = (lab: Laboratory, count: number, sent: object = {}) =>
    Promise.allSettled(Array.from({ length: count }, () => lab.create('test', sent)))

  it('is kept by those that are made at the same time', async () => {
    const lab = openLaboratory()
    const made = await create(lab, 103)
    expect(made.filter(({ status }) => status === 'rejected')).toMatchObject(
      Array(3).fill({
        reason: {
          code: 'LIMIT_REACHED',
          message: expect.stringContaining(
            'At most 100 tests and experiments may be active at the same time (EXPERIMENTS_ACTIVE_MAX)',
          ),
        },
      }),
    )
    expect(lab.experiments.figures()).toMatchObject([{ status: 'ACTIVE', count: 100 }])
  })

  it('keeps one whose start is due waiting, and none of the others', async () => {
    const lab = openLaboratory()
    const { nowMs } = lab.clock
    const late = await lab.create('test', { startDate: nowMs + 1000 })
    await create(lab, 99)
    const ends = await lab.create('test', { endDate: nowMs + 2000 })
    lab.clock.nowMs = nowMs + 2000
    const waits = 'waits until fewer tests and experiments are active (EXPERIMENTS_ACTIVE_MAX)'
    expect(await lab.get('test', late.testId)).toMatchObject({
      status: 'DRAFT',
      warnings: [expect.stringMatching(/^startDate: it was to start at /)],
    })
    await expect(
      lab.experiments.assign({ testId: late.testId, sessionId: 's' }),
    ).rejects.toMatchObject({ code: 'NOT_ACTIVE', message: expect.stringContaining(waits) })
    await expect(lab.experiments.tick()).rejects.toThrow(`${late.testId} can't go on: At most 100`)
    expect((await read(lab, ends.testId)).status).toBe('COMPLETED')
    await lab.experiments.tick()
    expect((await read(lab, late.testId)).status).toBe('ACTIVE')
    expect(await lab.get('test', late.testId)).not.toHaveProperty('warnings')
  })

  it('lets those fail that it keeps from their start until their end, and no others', async () => {
    const lab = openLaboratory()
    const startDate = lab.clock.nowMs + 1000
    const endDate = startDate + 5000
    const [read, watched] = [
      await lab.create('experiment', { startDate, endDate }),
      await lab.create('test', { startDate, endDate }),
    ]
    const waits = await lab.create('test', { startDate })
    await create(lab, 100)
    lab.clock.nowMs = endDate - 1
    expect((await lab.get('experiment', read.experimentId)).status).toBe('DRAFT')
    lab.clock.nowMs = endDate
    const reason = { text: expect.stringContaining('Its end came before it could start. At most') }
    const failed = { status: 'FAILED', ended: new Date(endDate).toISOString(), reason }
    expect(await lab.get('experiment', read.experimentId)).toMatchObject(failed)
    await expect(lab.experiments.tick()).rejects.toThrow(`${waits.testId} can't go on: At most`)
    expect(await lab.get('test', watched.testId)).toMatchObject(failed)
    const ends = lab.events().filter(({ type }) => type.endsWith('_FAILED'))
    expect(ends.map(({ type }) => type)).toEqual(['EXPERIMENT_FAILED', 'TEST_FAILED'])
  })
})

const DAYS = 86_400_000
