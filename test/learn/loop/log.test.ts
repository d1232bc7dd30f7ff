import { expect, it, onTestFinished, vi } from 'vitest'
import { openLog } from '../../../src/learn/loop/log.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, openLearner } from '../learner.ts'

function start(): Learner {
  const learner = openLearner(temporaryStore())
  onTestFinished(learner.close)
  return learner
}

const namedBy = ({ log }: Learner) =>
  [...log.journal.read({ after: 0, limit: 100 })].flatMap(({ entry }) =>
    entry.type === 'searches' ? (entry.data as string[]) : [],
  )
const note = () => ({ entry: { timeMs: 1, type: 'analytics' as const, data: {} }, value: 1 })

it('an impression is told once, however many writes are under way when it is written', async () => {
  const learner = start()
  const { log, search } = learner
  const shown = Array.from({ length: 5 }, (_, number) => search(undefined, [`d-${number}`]))
  await Promise.all([log.append(note), log.append(note), log.flush(), log.append(note)])
  expect(namedBy(learner)).toEqual(shown)
  expect(log.figures()).toEqual({ waiting: 0, written: 5, dropped: 0 })
})

it('an impression whose write failed is written by the next one', async () => {
  const learner = start()
  const { log, search } = learner
  const queryId = search(undefined, ['a'])
  await expect(
    log.append(() => {
      throw new Error('a bad entry')
    }),
  ).rejects.toThrow('a bad entry')
  expect(log.find(queryId)).toBeDefined()
  await log.append(note)
  expect(namedBy(learner)).toEqual([queryId])
})

it('impressions whose own rows can not be written are put back, or lost and counted', async () => {
  const learner = start()
  const { log, search, store } = learner
  const failOnce = () =>
    vi.spyOn(store.tables.impressions, 'append').mockImplementationOnce(() => {
      throw new Error('no room')
    })
  const kept = search(undefined, ['a'])
  failOnce()
  await expect(log.append(note)).rejects.toThrow('no room')
  await log.append(note)
  expect(namedBy(learner)).toEqual([kept])
  search(undefined, ['b'])
  failOnce()
  await log.flush()
  expect(log.figures()).toEqual({ waiting: 0, written: 1, dropped: 1 })
})

it('what was written is found while it stays in memory and after, until it is removed', async () => {
  const learner = start()
  const { log, search, store } = learner
  // More than stay in memory.
  const shown: string[] = []
  for (let flush = 0; flush < 5; flush += 1) {
    for (let each = 0; each < 300; each += 1) shown.push(search(undefined, [`d-${shown.length}`]))
    await log.flush()
  }
  const idOf = (queryId: string) => log.shown(queryId)?.page.hits[0]?.id
  expect(shown.map(idOf)).toEqual(shown.map((_, number) => `d-${number}`))
  expect(log.figures()).toEqual({ waiting: 0, written: 1500, dropped: 0 })
  const gone = [shown[0] as string, shown.at(-1) as string]
  await store.write(() => log.removeWithin(gone))
  expect(shown.filter((queryId) => !log.isShown(queryId))).toEqual(gone)
  expect(gone.map(idOf)).toEqual([undefined, undefined])
})

it('a log of before that does not say whether it was cut shows it by its beginning, and keeps that', async () => {
  const { log, search, store } = start()
  const { meta, journal, impressions } = store.tables
  const isCut = () => openLog(store, 10, Date.now).isCut()
  const ofBefore = () => store.write(() => meta.remove('log cut'))
  expect(log.isCut()).toBe(false)
  await log.append(note)
  const [first, second] = [search(undefined, ['a']), search(undefined, ['b'])]
  await log.append(note)
  await ofBefore()
  expect(isCut()).toBe(false)
  await store.write(() => impressions.removeAll([first as string]))
  // Somebody was forgotten, which the log knew to be whole.
  expect(isCut()).toBe(false)
  await ofBefore()
  expect(isCut()).toBe(true)
  await store.write(() => impressions.removeAll([second as string]))
  await store.write(() => journal.removeAll([1, 2, 3]))
  await ofBefore()
  expect(isCut()).toBe(true)
})
