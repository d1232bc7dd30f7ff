import { afterAll, beforeAll, expect, it } from 'vitest'
import { FIELDS_MAX, mustHaveFew, PATH_NAMES_MAX } from '../../../src/search/indices/few-fields.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

/** Those that every index has. */
const OWN = 8
const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'keyword' }]))
const put = (name: string, properties: object) =>
  running.call('PUT', `/cortex/indices/${name}`, { mappings: { properties } })

it('an index has so many fields at most, made or grown', async () => {
  const room = FIELDS_MAX - OWN
  const { status, details } = await put('large', named(room + 1))
  expect({ status, path: details[0]?.path }).toEqual({ status: 400, path: 'mappings.properties' })
  expect(details[0]?.message).toContain(`at most ${FIELDS_MAX}`)
  expect((await put('large', named(room))).status).toBe(200)
  expect((await put('large', { more: { type: 'keyword' } })).status).toBe(400)
  const sub = { title: { type: 'text', fields: named(room + 1) } }
  expect((await put('sub', sub)).status).toBe(400)
  const inner = { place: { type: 'object', properties: named(room) } }
  expect((await put('inner', inner)).status).toBe(400)
})

it('one that has more from before goes on, and gets no more', () => {
  const of = (count: number) =>
    ({
      fields: Array.from({ length: count }, (_, at) => ({ name: `f${at}` })),
      objects: [],
    }) as unknown as Parameters<typeof mustHaveFew>[0]
  const before = of(FIELDS_MAX + 10)
  expect(mustHaveFew(of(FIELDS_MAX + 10), before).fields).toHaveLength(FIELDS_MAX + 10)
  expect(() => mustHaveFew(of(FIELDS_MAX + 11), before)).toThrow('fewer fields')
})

it('a path has so many names at most, made or grown', async () => {
  const path = (names: number) => Array.from({ length: names }, () => 'a').join('.')
  const field = { type: 'keyword' }
  const { status, details } = await put('deep', { [path(PATH_NAMES_MAX + 1)]: field })
  expect({ status, message: details[0]?.message }).toEqual({
    status: 400,
    message: expect.stringContaining(`at most ${PATH_NAMES_MAX} names`),
  })
  expect((await put('deep', { [path(PATH_NAMES_MAX)]: field })).status).toBe(200)
  const inner = { b: { type: 'object', properties: { [path(PATH_NAMES_MAX)]: field } } }
  expect((await put('deep', inner)).status).toBe(400)
})

it('a path that was longer before goes on', () => {
  const name = 'a.'.repeat(PATH_NAMES_MAX)
  const of = (...names: string[]) =>
    ({ fields: names.map((each) => ({ name: each })), objects: [] }) as unknown as Parameters<
      typeof mustHaveFew
    >[0]
  expect(mustHaveFew(of(name, 'b'), of(name)).fields).toHaveLength(2)
  expect(() => mustHaveFew(of(name, `b${name}`), of(name))).toThrow('too many objects')
})
