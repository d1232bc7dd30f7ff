import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryStore } from '../store/open.ts'
import { type Learner, openLearner } from './learner.ts'

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
