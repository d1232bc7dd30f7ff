import { beforeAll, expect, it } from 'vitest'
import { openService, type Service } from '../../bench/service.ts'
import { randomOf } from '../../bench/synthetic.ts'
import { openStore } from '../../src/store/store.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { sharedFolder } from '../temporary-folder.ts'
import { loadLessons, startLearning } from './learner.ts'
import { openPromises, type SessionPromise } from './promises.ts'
import { auditJournal } from './refold.ts'
import { findForgotten } from './verify-learning.ts'

const dataDir = sharedFolder()
const promises = openPromises()
let running: RunningApp
let service: Service

beforeAll(async () => {
  running = await startApp({ DATA_DIR: dataDir, EXPLORATION_SHARE: '0.5' })
  service = openService(running.url)
  await loadLessons(service)
  const learning = startLearning(promises, randomOf(7), service)
  const hasEnough = () =>
    told().length > 5 && promises.eventIds.size > 5 && new Set(kinds()).size === 5
  const deadline = performance.now() + 60_000
  while (!hasEnough() && performance.now() < deadline)
    await Promise.race([learning.ended, new Promise((resolve) => setTimeout(resolve, 50))])
  learning.stop()
  await learning.ended
  expect(learning.wrong).toEqual([])
  expect(learning.refused).toEqual({})
})

const told = (): SessionPromise[] => [...promises.sessions.values()].filter((s) => s.told.size > 0)
const kinds = () =>
  [...promises.things.values()].filter(({ settled }) => settled).map(({ kind }) => kind)

/** Promises something that is not so, and asks what is missed. */
async function missed(lie: () => void, truth: () => void): Promise<string[]> {
  lie()
  const broken = await findForgotten(promises, service, { whole: true, restarted: false })
  truth()
  return broken
}

it('finds nothing amiss where every promise was kept', async () => {
  expect(await findForgotten(promises, service, { whole: true, restarted: false })).toEqual([])
})

it('misses feedback that was acknowledged and is not there', async () => {
  const [session] = told()
  const broken = await missed(
    () => session?.told.set('lost', 2),
    () => session?.told.delete('lost'),
  )
  expect(broken).toContain('lost: 0 of its 2 entries are there')
})

it('misses what a session did', async () => {
  const [session] = told() as [SessionPromise]
  const broken = await missed(
    () => {
      session.totals.clicks += 1
      session.searches.kept += 1000
    },
    () => {
      session.totals.clicks -= 1
    },
  )
  expect(broken.join()).toContain('clicks instead of')
  expect(broken.join()).toContain('were kept')
})

it('misses events and counted values', async () => {
  const [counter] = promises.counters.values()
  const broken = await missed(
    () => {
      promises.eventIds.add('lost')
      if (counter !== undefined) counter.settled += 1
    },
    () => promises.eventIds.delete('lost'),
  )
  expect(broken.join()).toContain('events learned')
  if (counter !== undefined) expect(broken.join()).toContain('counter')
})

it('notices each thing that is in another state than was acknowledged', async () => {
  const states = new Map([...promises.things.values()].map((thing) => [thing, thing.settled]))
  const broken = await missed(
    () => {
      for (const thing of states.keys()) thing.settled = 'ELSEWHERE'
    },
    () => {
      for (const [thing, settled] of states) thing.settled = settled
    },
  )
  expect(states.size).toBeGreaterThan(0)
  for (const { kind, name } of states.keys())
    expect(broken.some((sentence) => sentence.startsWith(`${kind} ${name}:`))).toBe(true)
})

it('notices learned state that a fresh fold of the log does not give', async () => {
  await service.close()
  await running.close()
  const audit = await auditJournal(promises, dataDir)
  expect(audit.broken).toEqual([])
  expect(audit.rows).toBeGreaterThan(20)
  const log = { warn: () => undefined, error: () => undefined }
  const store = openStore({ dataDir, bytesMax: 2 ** 30, log })
  await store.write(() => {
    const [row] = [...store.tables.lastSearches.range()]
    // As if a consumer had saved it outside of its transaction, and once too often.
    if (row !== undefined) {
      const [queryId, queryHash, query, timeMs, , ...rest] = row.value
      store.tables.lastSearches.put(row.key, [queryId, queryHash, query, timeMs, true, ...rest])
    }
    const [hour] = [...store.tables.judgements.range()]
    if (hour !== undefined) store.tables.judgements.remove(hour.key)
    const inUse = store.tables.meta.get('examination in use')
    if (inUse !== undefined)
      store.tables.meta.put('examination in use', { ...inUse, reckoned: inUse.reckoned + 1 })
  })
  await store.close()
  const { broken } = await auditJournal(promises, dataDir)
  expect(broken.some((sentence) => sentence.startsWith('judgements'))).toBe(true)
  expect(broken.join('\n')).toContain('meta examination in use, reckoned: 1 was kept')
})
