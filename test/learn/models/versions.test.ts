import { describe, expect, it } from 'vitest'
import { pruneVersions } from '../../../src/learn/models/pruning.ts'
import { openVersions } from '../../../src/learn/models/versions.ts'
import { MACHINES, mayMove } from '../../../src/learn/states.ts'
import type { AdaptationRecord } from '../../../src/schema/adaptation-record.ts'
import type { ModelStatus } from '../../../src/schema/statuses.ts'
import { countTurns } from '../../count-turns.ts'
import { temporaryStore } from '../../store/open.ts'

const STATES = Object.keys(MACHINES.model) as ModelStatus[]
const MOVES = STATES.flatMap((from) => STATES.map((to) => ({ from, to })))

function start() {
  const store = temporaryStore()
  const config = { modelsMax: 10, modelVersionsMax: 3 }
  const versions = openVersions({ store, config, clock: () => 1000 })
  const add = async (checksum: string) => {
    const added = await store.write(() => versions.addWithin(made(checksum)))
    await pruneVersions({ store, versions, config }, added.record)
    return added
  }
  return { store, versions, add }
}
const made = (checksum: string) => ({
  modelId: 'm',
  source: 'SYNC' as const,
  checksum,
  servable: true,
  reasons: [],
  unfinished: false,
  bytes: Buffer.from('{}'),
})

describe('a version', () => {
  it.each(MOVES)('goes from $from to $to only where the table of states has it', async (move) => {
    const { from, to } = move
    const { store, versions } = start()
    const { record } = await store.write(() => versions.addWithin(made('x')))
    await store.write(() => versions.putWithin({ ...record, status: from }))
    const moving = store.write(() => versions.moveWithin(versions.get(record), to))
    if (from === to || mayMove('model', from, to)) {
      expect((await moving).status).toBe(to)
      expect(versions.get(record).status).toBe(to)
    } else {
      await expect(moving).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
      expect(versions.get(record).status).toBe(from)
    }
  })

  it('that can rank by now, with a newer ranker, says so when its state comes again', async () => {
    const { store, versions, add } = start()
    const reasons = ['The ranker does not compute it.']
    const early = { ...made('x'), servable: false, reasons }
    await store.write(() => versions.addWithin(early))
    const again = await add('x')
    expect(again).toMatchObject({ unchanged: true, record: { version: 1, servable: true } })
    expect(versions.newest('m')).toEqual(again.record)
    expect(again.record.reasons).toEqual([])
    // And not the other way round: it ranks, perhaps.
    await store.write(() => versions.addWithin(early))
    expect(versions.newest('m').servable).toBe(true)
  })

  it('in use is never the one that has to go', async () => {
    const { store, versions, add } = start()
    const status = (record: { modelId: string; version: number }, to: ModelStatus) =>
      store.write(() => versions.putWithin({ ...versions.get(record), status: to }))
    await status((await add('a')).record, 'ACTIVE')
    await status((await add('b')).record, 'SHADOW')
    await add('c')
    await add('d')
    expect(versions.of('m').map(({ version }) => version)).toEqual([1, 2, 4])
    expect([...store.tables.modelStates.keys()].map(([, version]) => version)).toEqual([1, 2, 4])
    await status({ modelId: 'm', version: 2 }, 'ARCHIVED')
    // Archived ones go before candidates, however young.
    await add('e')
    expect(versions.of('m').map(({ version }) => version)).toEqual([1, 4, 5])
  })

  it('to which a rollback would return stays, also of another model than the one that is active', async () => {
    const { store, versions, add } = start()
    const status = (version: number, to: ModelStatus) =>
      store.write(() =>
        versions.putWithin({ ...versions.get({ modelId: 'm', version }), status: to }),
      )
    for (const checksum of ['a', 'b', 'c']) await add(checksum)
    for (const version of [1, 2]) await status(version, 'ARCHIVED')
    const name = (modelId: string, version: number) => ({ modelId, version })
    const earlier = [name('m', 1), name('m', 2)]
    await store.write(() => versions.standWithin({ active: name('other', 1), earlier, trials: 0 }))
    await add('d')
    await add('e')
    expect(versions.of('m').map(({ version }) => version)).toEqual([2, 4, 5])
    await store.write(() => versions.standWithin({ active: name('m', 5), earlier, trials: 0 }))
    await status(5, 'ACTIVE')
    await add('f')
    await add('g')
    expect(versions.of('m').map(({ version }) => version)).toEqual([2, 5, 7])
  })

  it('goes without that others wait until all changes are looked through, which may name it', async () => {
    const { store, versions, add } = start()
    const long = { conditions: Array.from({ length: 3000 }, () => ({})) }
    await store.write(() => {
      for (let n = 0; n < 200; n++) {
        const tuning = { model: `m@${n}` }
        const change = { adaptationId: `change ${n}`, tuning, long } as unknown
        if (n !== 1) store.tables.adaptations.put(`change ${n}`, change as AdaptationRecord)
      }
    })
    for (const checksum of ['a', 'b', 'c']) await add(checksum)
    const { turns } = await countTurns(() => add('d'))
    expect(versions.of('m').map(({ version }) => version)).toEqual([2, 3, 4])
    expect(turns).toBeGreaterThan(12)
  })

  it('of another model whose name begins the same is another', async () => {
    const { store, versions } = start()
    await store.write(() => versions.addWithin({ ...made('a'), modelId: 'm@1' }))
    await store.write(() => versions.addWithin({ ...made('a'), modelId: 'm\u0000' }))
    await store.write(() => versions.addWithin(made('a')))
    expect(versions.of('m')).toHaveLength(1)
    expect(versions.of('m@1')).toHaveLength(1)
    expect(versions.names()).toEqual(['m', 'm\u0000', 'm@1'])
  })
})
