import { expect, it } from 'vitest'
import { firstIdOf } from '../../../src/ids.ts'
import { openRemovals } from '../../../src/learn/health/removals.ts'
import { openRetention } from '../../../src/learn/health/retention.ts'
import { openLog } from '../../../src/learn/loop/log.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, runOn, START_MS } from '../learner.ts'

it('logs once that the log was cut, and once a day how much went', async () => {
  const store = temporaryStore()
  const log = openLog(store, 100, () => START_MS)
  const said: object[] = []
  const logger = { info: (fields: object) => void said.push(fields) }
  const open = () => {
    const removals = openRemovals({ isCut: log.isCut, logger })
    const retain = openRetention({
      ...{
        store,
        log,
        config: { retentionMs: DAY_MS, impressionsMax: 1000, journalBytesMax: 1e9 },
        kept: () => 0,
      },
      sweeps: { events: async () => 0 },
      onFailure: (err) => {
        throw err
      },
      onEnd: () => {},
      onRemoved: removals.note,
    })
    return async () => {
      await retain(START_MS)
      removals.tick()
    }
  }
  const add = (from: number, to: number) =>
    store.write(() => {
      for (let at = from; at < to; at += 1) {
        const id = `${firstIdOf(START_MS)}-7000-8000-${String(at).padStart(12, '0')}`
        store.tables.impressions.put(id, Buffer.from([1]))
      }
    })
  const round = open()
  await round()
  expect(said).toEqual([])
  await add(0, 3500)
  await round()
  await add(3500, 3600)
  await round()
  expect(said).toEqual([{ part: 'impressions' }])
  runOn(DAY_MS)
  await round()
  await round()
  expect(said.slice(1)).toEqual([{ removed: { impressions: 2600 } }])
  // A later start finds it cut.
  const next = open()
  await add(3600, 3700)
  await next()
  expect(said.length).toBe(2)
})
