import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  // What the mapping doesn't name is only kept, so that large documents cost nothing but their records.
  await service.call('POST', '/cortex/indices', { name: 'large', mappings: { dynamic: false } })
  const blob = 'x'.repeat(10_000_000)
  for (let at = 0; at < 7; at += 1)
    await service.call('POST', '/cortex/documents', {
      ...{ index: 'large', id: `d${at}`, document: { title: `large ${at}`, blob } },
    })
}, 120_000)
afterAll(() => service.close())

const find = (body: object) =>
  service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', { index: 'large', ...body })

it('a page of more than 64 MiB is refused with what to do, and smaller ones are answered', async () => {
  const refused = await find({ query: 'large' })
  expect(refused).toMatchObject({
    status: 400,
    code: 'VALIDATION_FAILED',
    error:
      'size asks for a page of more than 64 MiB; ask for fewer hits, or name some fields in fields.',
  })
  expect((await find({ query: 'large', size: 6 })).data.hits).toHaveLength(6)
  expect((await find({ query: 'large', fields: ['title'] })).data.hits).toHaveLength(7)
})
