import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

interface Told {
  warnings?: string[]
}

it.each([
  '/cortex/ab-test',
  '/cortex/feedback',
  '/nous/ab-testing/experiments',
  '/nous/learn/models',
  '/nous/learn/events',
  '/nous/learn/feedback/patterns',
  '/nous/learn/search-patterns',
  '/nous/signals',
  '/nous/adaptations',
  '/nous/adapt/suggestions',
  '/nous/adapt/rules',
])('%s tells which names in its address it does not read', async (path) => {
  const { warnings } = await service.must<Told>('GET', `${path}?limti=5&__proto__=x&limit=5`)
  expect(warnings?.length).toBeGreaterThan(0)
  expect(warnings?.[0]).toBe('"limti" is not read in this address and was ignored; "limit" is.')
  expect(await service.must('GET', `${path}?limit=5`)).not.toHaveProperty('warnings')
})

it('so does the report, which is that of a day where no time is named', async () => {
  const path = '/cortex/analytics/reports'
  const { warnings } = await service.must<Told>('GET', `${path}?timewindow=1h`)
  expect(warnings).toEqual([
    '"timewindow" is not read in this address and was ignored; "timeWindow" is.',
  ])
  expect(await service.must('GET', `${path}?timeWindow=1h`)).not.toHaveProperty('warnings')
})

it.each([
  ['/nous/learn/events', 'since', 'startDate'],
  ['/nous/learn/events', 'size', 'limit'],
  ['/nous/signals', 'page', 'cursor'],
  ['/cortex/feedback', 'timeWindow', 'timeframe'],
  ['/cortex/analytics/reports', 'timeframe', 'timeWindow'],
])('%s tells what %s is called there', async (path, name, meant) => {
  const { warnings } = await service.must<Told>('GET', `${path}?${name}=1h`)
  expect(warnings).toEqual([
    `"${name}" is not read in this address and was ignored; "${meant}" is.`,
  ])
})

it('a date in seconds, which as milliseconds is one of 1970, is told', async () => {
  const path = '/nous/learn/events'
  const seconds = Math.floor(Date.now() / 1000)
  const { warnings } = await service.must<Told>(
    ...(['GET', `${path}?since=1h&startDate=${seconds - 9}&endDate=${seconds}`] as const),
  )
  const told =
    'a number is epoch milliseconds, and this one is a moment of 1970; send the date as text, or seconds times 1000.'
  expect(warnings).toEqual([
    '"since" is not read in this address and was ignored; "startDate" is.',
    `startDate: ${told}`,
    `endDate: ${told}`,
  ])
  const query = `?startDate=0&endDate=${1000 * seconds}`
  expect(await service.must('GET', path + query)).not.toHaveProperty('warnings')
})

const MISSPELT = '"indx" is not read in this address and was ignored; "index" is.'

it('a document that goes elsewhere because the name of the parameter is misspelt says so, beside what else it tells', async () => {
  const written = await service.must<Told>('PUT', '/cortex/documents/a?indx=here', { title: 'a' })
  expect(written.warnings).toEqual([MISSPELT])
  const { warnings } = await service.must<Told>('PUT', '/cortex/documents/b?indx=here', {
    title: 'b',
    index: 'here',
  })
  expect(warnings).toEqual([MISSPELT, expect.stringContaining('index is kept as a field')])
  const created = { index: 'here', id: 'c', document: { title: 'c' } }
  const late = await service.must<Told>('POST', '/cortex/documents?refesh=false', created)
  expect(late.warnings?.[0]).toContain('"refesh" is not read')
})

it('what a new document lacks in its body and has in its address is told to stand in the body', async () => {
  const path = '/cortex/documents?index=here'
  const lacking = await service.call('POST', path, { title: 'a' })
  expect(lacking.error).toBe(
    'index is required in the body; what the address says of it is not read.',
  )
  expect(lacking.details.map(({ path }) => path)).toEqual(['index', 'document'])
  const without = await service.call('POST', '/cortex/documents', { document: { title: 'a' } })
  expect(without.error).toBe('index is required.')
})

it('so do a bulk, as a list and as lines, what is read, and what is deleted', async () => {
  const { call, must } = service
  const path = '/cortex/documents/bulk?indx=here'
  expect(await must('POST', path, [{ id: 'd', title: 'd' }])).toMatchObject({
    items: [{ id: 'd', index: 'documents' }],
    warnings: [MISSPELT],
  })
  const lines = { 'content-type': 'application/x-ndjson' }
  const { data } = await call<Told>('POST', path, '{"id":"e","title":"e"}\n', lines)
  expect(data.warnings).toEqual([MISSPELT])
  const read = await must<Told>('GET', '/cortex/documents/d?indx=here')
  expect(read.warnings).toEqual([MISSPELT])
  const deleted = await must<Told>('DELETE', '/cortex/documents/d?indx=here')
  expect(deleted.warnings).toEqual([MISSPELT])
})

it('a write that is sent again with its key tells the same', async () => {
  const again = () =>
    service.call<Told>(
      'POST',
      '/cortex/documents?refesh=false',
      { index: 'here', document: { title: 'f' } },
      { 'idempotency-key': 'misspelt' },
    )
  const { data } = await again()
  expect(data.warnings).toHaveLength(1)
  expect((await again()).data).toEqual(data)
})

it('of very many names some are told', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `x${at}=1`).join('&')
  const { warnings } = await service.must<Told>('GET', `/nous/signals?${names}`)
  expect(warnings).toHaveLength(8)
})
