import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { watchJson } from '../../watch-json.ts'

/** Far more than is read or written in one go. */
const NUMBERS = Array.from({ length: 400_000 }, (_, n) => n % 1000)
const GIANT = {
  title: 'Giant',
  content: 'word '.repeat(20_000),
  numbers: NUMBERS,
  own: { a: null },
}
const LENGTH = JSON.stringify(GIANT).length

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

/** Sends text as it is, and passes the answer over unread. */
async function send(method: string, path: string, text?: string, type = 'application/json') {
  const headers = { 'content-type': type }
  const sent = { method, headers, ...(text === undefined ? {} : { body: text }) }
  const answer = await fetch(`${service.url}${path}`, sent)
  const { byteLength } = await answer.arrayBuffer()
  return { status: answer.status, byteLength }
}

const sourceOf = async (id: string) =>
  (await service.must<{ source: object }>('GET', `/cortex/documents/${id}?index=giants`)).source

describe('a giant is read and written with turns for others in between', () => {
  const text = JSON.stringify({ index: 'giants', id: 'g', document: GIANT })
  const whole = JSON.stringify({ ...GIANT, gone: null })
  const event = `{"eventType":"x","results":[${whole}]}`

  it.each<[string, () => Promise<{ status: number; byteLength: number }>]>([
    ['created', () => send('POST', '/cortex/documents', text)],
    ['read', () => send('GET', '/cortex/documents/g?index=giants')],
    ['replaced', () => send('PUT', '/cortex/documents/g?index=giants', whole)],
    ['changed', () => send('PATCH', '/cortex/documents/g?index=giants', '{"tags":["x"]}')],
    [
      'an item of a bulk',
      () => send('POST', '/cortex/documents/bulk?index=giants', `[{"id":"b","document":${whole}}]`),
    ],
    [
      'a line of a bulk',
      () =>
        send(
          'POST',
          '/cortex/documents/bulk?index=giants',
          `{"id":"l","document":${whole}}\n`,
          'application/x-ndjson',
        ),
    ],
    ['an event', () => send('POST', '/cortex/analytics', event)],
  ])('when it is %s', async (_, ask) => {
    const longest = watchJson()
    const { status } = await ask()
    expect(status).toBe(200)
    expect(longest()).toBeLessThan(LENGTH / 8)
  })

  it('and comes back as it was sent', async () => {
    expect(await sourceOf('g')).toEqual({ ...GIANT, tags: ['x'] })
    expect(await sourceOf('b')).toEqual(GIANT)
    expect(await sourceOf('l')).toEqual(GIANT)
  })
})

it('changes of one giant that come together are all kept', async () => {
  await service.must('POST', '/cortex/documents', { index: 'giants', id: 'many', document: GIANT })
  const change = (n: number) =>
    service.must('PATCH', '/cortex/documents/many?index=giants', { [`field${n}`]: n, own: null })
  await Promise.all([0, 1, 2, 3].map(change))
  const { own: _, ...kept } = GIANT
  expect(await sourceOf('many')).toEqual({ ...kept, field0: 0, field1: 1, field2: 2, field3: 3 })
  const again = await change(3)
  expect(again.result).toBe('unchanged')
})

it('a giant whose text was taken away is refused', async () => {
  await service.must('POST', '/cortex/documents', { index: 'giants', id: 'bare', document: GIANT })
  const change = { title: null, content: null }
  const refused = await service.call('PATCH', '/cortex/documents/bare?index=giants', change)
  expect(refused).toMatchObject({ status: 400, details: [{ path: 'document' }] })
  expect(await sourceOf('bare')).toEqual(GIANT)
})
