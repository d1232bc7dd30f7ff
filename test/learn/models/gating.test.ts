import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { openActivation } from '../../../src/learn/models/activation.ts'
import { type GatingParts, openGating } from '../../../src/learn/models/gating.ts'
import { openVersions } from '../../../src/learn/models/versions.ts'
import type { GateReport, Standing } from '../../../src/schema/model-record.ts'
import { temporaryStore } from '../../store/open.ts'
import { runOn, START_MS } from '../learner.ts'

/** Gates that say what a test wants, `meanwhile` before they do. */
async function start() {
  const store = temporaryStore()
  const now = { ms: START_MS }
  const clock = () => now.ms
  const config = readConfig({ MODEL_SHADOW_SEARCHES: '10' })
  const same = { store, config, clock, events: openEvents(store, clock) }
  const versions = openVersions(same)
  const says: { outcome: GateReport['outcome']; meanwhile: () => Promise<unknown> } = {
    outcome: 'pass',
    meanwhile: async () => {},
  }
  let searches = 0
  const evidence = { searches: () => searches } as unknown as GatingParts['evidence']
  const activation = openActivation({ ...same, versions, evidence, load: async () => {} })
  const run = async (_job: string, { gate }: { gate: GateReport['gate'] }) => {
    await says.meanwhile()
    return { gate, outcome: says.outcome, timeMs: 0, figures: {} }
  }
  const pool = { run } as unknown as GatingParts['pool']
  const gating = openGating({
    ...same,
    pool,
    versions,
    activation,
    evidence,
    chances: () => ({ eta: 1 }),
  })
  const add = async (modelId: string, checksum = modelId) => {
    const made = { modelId, checksum, source: 'SYNC' as const, servable: true }
    const rest = { reasons: [], unfinished: false, bytes: Buffer.from('{}') }
    return (await store.write(() => versions.addWithin({ ...made, ...rest }))).record
  }
  const standing = (): Standing => versions.standing()
  const search = (count: number) => {
    searches += count
  }
  const told = () =>
    [...store.tables.events.range()].map(({ value }) => {
      const { type, modelId, data } = value
      return { type, modelId, data }
    })
  return { store, now, gating, activation, versions, says, add, standing, search, told }
}

it('a model on trial that is asked about goes on with its trial', async () => {
  const { gating, says, versions, add, standing, search } = await start()
  const model = await add('m')
  await gating.judge(model)
  search(10)
  await gating.advance()
  expect(standing().trial).toMatchObject({ modelId: 'm', stage: 'CANARY', number: 2 })
  for (const outcome of ['pass', 'not_yet', 'refuse'] as const) {
    says.outcome = outcome
    const { record, report } = await gating.judge(model)
    expect(record.status).toBe('SHADOW')
    expect(report.outcome).toBe(outcome)
    expect(standing().trial).toMatchObject({ modelId: 'm', stage: 'CANARY', number: 2 })
  }
  expect(versions.get(model).gates).toHaveLength(5)
})

it('a model that is let through by hand while its first gate thinks goes on ranking', async () => {
  const { gating, activation, says, versions, add, standing } = await start()
  const model = await add('m')
  says.meanwhile = () => activation.activate(model, 'CALL')
  const { record, report } = await gating.judge(model)
  expect([record.status, report.outcome]).toEqual(['ACTIVE', 'pass'])
  expect(standing()).toMatchObject({ active: { modelId: 'm' } })
  expect(standing().trial).toBeUndefined()
  expect(versions.get(model).gates).toHaveLength(1)
})

it.each(['refuse', 'pass', 'not_yet'] as const)(
  'a gate that says %s of a trial that began anew meanwhile says nothing',
  async (outcome) => {
    const { gating, activation, says, versions, add, standing, search } = await start()
    const [model, other] = [await add('m'), await add('other')]
    await gating.judge(model)
    search(10)
    says.outcome = outcome
    says.meanwhile = () => activation.activate(other, 'CALL')
    await gating.advance()
    expect(standing().trial).toMatchObject({ modelId: 'm', stage: 'SHADOW', number: 2, asked: 0 })
    expect(versions.get(model)).toMatchObject({ status: 'SHADOW', gates: [{ outcome: 'pass' }] })
  },
)

it('a gate that was undecided is asked again once a tenth more has come', async () => {
  const { gating, says, add, standing, search } = await start()
  await gating.judge(await add('m'))
  says.outcome = 'not_yet'
  let times = 0
  says.meanwhile = async () => {
    times += 1
  }
  for (const more of [9, 11, 1, 1]) {
    search(more)
    await gating.advance()
  }
  expect([times, standing().trial?.asked]).toEqual([2, 22])
})

it('a trial that began while the clock was ahead begins once it is right', async () => {
  const { now, gating, add, standing } = await start()
  now.ms += 1_000_000_000
  await gating.judge(await add('m'))
  await gating.advance()
  expect(standing().trial?.sinceMs).toBe(now.ms)
  now.ms -= 1_000_000_000
  await gating.advance()
  expect(standing().trial?.sinceMs).toBeGreaterThan(now.ms)
  // It was looked at while it was ahead: the hour of that must be over, and another one.
  for (let hour = 0; hour < 2; hour += 1) {
    runOn(3_600_000)
    await gating.advance()
  }
  expect(standing().trial).toMatchObject({ modelId: 'm', stage: 'SHADOW', sinceMs: now.ms })
})

it('a model that stays undecided for twenty times the searches of its gate is rejected', async () => {
  const { gating, says, versions, add, standing, search } = await start()
  const model = await add('m')
  await gating.judge(model)
  says.outcome = 'not_yet'
  search(199)
  await gating.advance()
  expect(standing().trial).toMatchObject({ modelId: 'm', asked: 199 })
  search(199)
  await gating.advance()
  expect(standing().trial).toBeUndefined()
  const { status, gates } = versions.get(model)
  const reason = 'It was undecided for too long.'
  expect([status, gates.at(-1)]).toMatchObject([
    'REJECTED',
    { outcome: 'refuse', figures: { reason } },
  ])
})

it('a rollback returns to no model that was rejected since', async () => {
  const { store, activation, versions, add, standing } = await start()
  const [first, second, third] = [await add('first'), await add('second'), await add('third')]
  for (const model of [first, second, third]) await activation.activate(model, 'CALL')
  await store.write(() => {
    versions.moveWithin(versions.moveWithin(versions.get(second), 'SHADOW'), 'REJECTED')
  })
  expect((await activation.rollBack('third')).active).toMatchObject({ modelId: 'first' })
  expect(standing().active).toMatchObject({ modelId: 'first' })
})

it('a rollback returns to an earlier version of the same model before another one', async () => {
  const { activation, add } = await start()
  for (const model of [await add('own'), await add('other'), await add('own', 'newer')])
    await activation.activate(model, 'CALL')
  expect((await activation.rollBack('own')).active).toMatchObject({ modelId: 'own', version: 1 })
  // What came behind that version is over.
  expect((await activation.rollBack('own')).active).toBeUndefined()
})

it('a rollback asked for twice at once goes back one step, and tells the second that what ranks changed', async () => {
  const { activation, add, standing } = await start()
  for (const state of ['oldest', 'older', 'newest'])
    await activation.activate(await add('own', state), 'CALL')
  const [one, two] = await Promise.allSettled([
    activation.rollBack('own'),
    activation.rollBack('own'),
  ])
  expect(one).toMatchObject({ value: { active: { modelId: 'own', version: 2 } } })
  expect(two).toMatchObject({
    reason: { code: 'NOT_ACTIVE', message: expect.stringContaining('has changed since') },
  })
  expect(standing().active).toMatchObject({ modelId: 'own', version: 2 })
})

it('history tells of a trial that began anew, and of one that a newer model ended', async () => {
  const { gating, activation, add, search, told } = await start()
  const [model, other, newer] = [await add('m'), await add('other'), await add('newer')]
  await gating.judge(model)
  search(10)
  await gating.advance()
  await activation.activate(other, 'CALL')
  await gating.judge(newer)
  const begun = { version: 1, from: 'CANARY', control: 'other@1' }
  const ended = { version: 1, stage: 'SHADOW', replacedBy: 'newer@1' }
  expect(told().slice(-4)).toMatchObject([
    { type: 'MODEL_ACTIVATED', modelId: 'other' },
    { type: 'MODEL_TRIAL_RESTARTED', modelId: 'm', data: begun },
    { type: 'GATE_PASSED', modelId: 'newer' },
    { type: 'MODEL_ARCHIVED', modelId: 'm', data: ended },
  ])
})
