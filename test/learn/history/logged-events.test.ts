import { expect, it } from 'vitest'
import { type EventReport, openEvents } from '../../../src/learn/history/events.ts'
import { openLoggedEvents } from '../../../src/learn/history/logged-events.ts'
import { temporaryStore } from '../../store/open.ts'
import { START_MS } from '../learner.ts'

function start() {
  const store = temporaryStore()
  const said: [string, object, string][] = []
  const logger = {
    warn: (fields: object, message: string) => void said.push(['warn', fields, message]),
    info: (fields: object, message: string) => void said.push(['info', fields, message]),
  }
  const logged = openLoggedEvents(store, logger)
  const events = openEvents(store, () => START_MS, {}, logged.noteWithin)
  return { store, said, logged, events }
}

const taken: EventReport = {
  type: 'ADAPTATION_ROLLED_BACK',
  status: 'ROLLED_BACK',
  source: 'adaptations',
  priority: 'HIGH',
  adaptationId: 'a',
  data: { version: 3, reason: 'ctr lt 0.9: 0.2' },
}

it('logs once what was taken back, and which model ranks; nothing that comes all the time', async () => {
  const { said, logged, events } = start()
  const { id } = await events.record(taken)
  await events.record({ type: 'FEEDBACK_RECEIVED', status: 'COMPLETED', source: 'feedback' })
  const ranks = {
    type: 'MODEL_ACTIVATED',
    status: 'ACTIVE',
    source: 'models',
    modelId: 'm',
  } as const
  await events.record({ ...ranks, data: { version: 2 } })
  logged.tick()
  logged.tick()
  expect(said).toEqual([
    [
      'warn',
      { event: id, status: 'ROLLED_BACK', adaptationId: 'a', version: 3 },
      'learning: adaptation rolled back',
    ],
    [
      'info',
      { event: expect.any(String), status: 'ACTIVE', modelId: 'm', version: 2 },
      'learning: model activated',
    ],
  ])
})

it('logs a training that had too little to learn from, with how much it had', async () => {
  const { said, logged, events } = start()
  const training = { type: 'TRAINING_COMPLETED', source: 'models', modelId: 'm' } as const
  await events.record({ ...training, status: 'COMPLETED', data: { version: 1 } })
  const data = { needed: 200, have: 120 }
  const { id } = await events.record({ ...training, status: 'NOT_ENOUGH_DATA', data })
  logged.tick()
  const fields = { event: id, status: 'NOT_ENOUGH_DATA', modelId: 'm', needed: 200, have: 120 }
  expect(said).toEqual([['info', fields, 'learning: training completed']])
})

it('logs nothing of what was not stored after all, and waits for what is being stored', async () => {
  const { store, said, logged, events } = start()
  const fail = store.write(() => {
    events.recordWithin(taken)
    throw new Error('no')
  })
  await fail.catch(() => undefined)
  // It gets the number that the other one had.
  const stored = events.record({ ...taken, adaptationId: 'b' })
  logged.tick()
  expect(said).toEqual([])
  await stored
  logged.tick()
  expect(said.map(([, fields]) => fields)).toEqual([expect.objectContaining({ adaptationId: 'b' })])
})

it('counts what is too many for lines of their own', async () => {
  const { said, logged, events, store } = start()
  await store.write(() => {
    for (let n = 0; n < 50; n += 1) events.recordWithin(taken)
  })
  logged.tick()
  expect(said.length).toBe(21)
  expect(said.at(-1)).toEqual(['warn', { events: 30 }, expect.stringContaining('more such events')])
})
