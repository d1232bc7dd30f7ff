import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

interface Made {
  name: string
  warnings?: string[]
}

async function warningsOf(method: string, path: string, body: object) {
  return (await service.must<Made>(method, path, body)).warnings
}

it('tells what stands beside settings and mappings, and which name was meant', async () => {
  const properties = { year: { type: 'integer' } }
  const create = (name: string, more: object) =>
    warningsOf('POST', '/cortex/indices', { name, ...more })
  expect(await create('one', { mapping: { properties } })).toEqual([
    '"mapping" is not read and was ignored; "mappings" is.',
  ])
  expect(await create('two', { properties, analysis: { language: 'german' } })).toEqual([
    '"properties" is not read and was ignored; "mappings.properties" is.',
    '"analysis" is not read and was ignored; "settings.analysis" is.',
  ])
  expect(await create('three', { mappings: { properties }, settngs: {}, aliases: {} })).toEqual([
    '"settngs" is not read and was ignored; "settings" is.',
    '"aliases" is not read and was ignored.',
  ])
  expect(await create('four', { settings: {}, mappings: { properties } })).toBeUndefined()
})

it('tells the same where a PUT makes an index or adds fields to it', async () => {
  const put = (body: object) => warningsOf('PUT', '/cortex/indices/put', body)
  const told = ['"dynamic" is not read and was ignored; "mappings.dynamic" is.']
  expect(await put({ dynamic: false })).toEqual(told)
  const mappings = { properties: { year: { type: 'integer' } } }
  expect(await put({ mappings, dynamic: false })).toEqual(told)
  expect((await service.must<Made>('GET', '/cortex/indices/put')).warnings).toBeUndefined()
})

it('tells of a few of very many', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => [`x${at}`, 1])
  const told = await warningsOf('POST', '/cortex/indices', {
    name: 'many',
    ...Object.fromEntries(names),
  })
  expect(told).toHaveLength(8)
})
