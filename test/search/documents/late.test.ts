import { afterAll, beforeAll, expect, it } from 'vitest'
import { closedGate } from '../../gate.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

const INDICES = 8
const OPENING_MS = 150

let service: RunningApp
/** Openings that are over. */
let opened = 0

/** Each index takes its time to be opened, together longer than a request may take. */
beforeAll(async () => {
  service = await startApp({ REQUEST_TIMEOUT_MS: `${(INDICES * OPENING_MS) / 2}` })
  const { pool } = service.app
  const { run } = pool
  pool.run = (async (name, input) => {
    if (name === 'open') await new Promise((resolve) => setTimeout(resolve, OPENING_MS))
    const done = await run(name, input)
    if (name === 'open') opened += 1
    return done
  }) as typeof run
})
afterAll(() => service.close())

function stored(): number {
  return [...service.app.store.tables.documents.keys()].length
}

const documents = (prefix: string) =>
  Array.from({ length: INDICES }, (_, at) => {
    return { index: `${prefix}${at}`, document: { title: 'Willow' } }
  })

it.each([
  ['a list', { documents: documents('list') }, 'application/json'],
  [
    'lines',
    documents('lines')
      .map((each) => JSON.stringify(each))
      .join('\n'),
    'application/x-ndjson',
  ],
])(
  'a bulk of %s that took too long before it was written writes nothing behind that answer',
  async (_, body, type) => {
    const before = opened
    const { status, code } = await service.call('POST', '/cortex/documents/bulk', body, {
      'content-type': type,
    })
    expect({ status, code }).toEqual({ status: 503, code: 'TIMED_OUT' })
    // What is being opened at that moment ends; nothing else is begun.
    await new Promise((resolve) => setTimeout(resolve, INDICES * OPENING_MS))
    expect(opened - before).toBeLessThan(INDICES)
    expect(stored()).toBe(0)
  },
)

it('a document whose index took too long to open is not written', async () => {
  const { run } = service.app.pool
  const opening = closedGate()
  service.app.pool.run = (async (name, input) => {
    if (name === 'open') await opening.opened
    return run(name, input)
  }) as typeof run
  const before = opened
  const document = { title: 'Willow' }
  for (const [method, path, body] of [
    ['POST', '/cortex/documents', { index: 'slow', document }],
    ['PUT', '/cortex/documents/1?index=slow', document],
  ] as const)
    expect((await service.call(method, path, body)).code).toBe('TIMED_OUT')
  opening.open()
  await waitUntil(() => opened > before)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(stored()).toBe(0)
})
