import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { readConfig } from '../../src/config.ts'
import { describeApi } from '../../src/http/openapi.ts'
import { type RunningApp, startApp } from '../running-app.ts'

interface Shape {
  enum?: string[]
  items?: Shape
}
interface Described {
  paths: Record<string, { get?: { parameters: { name: string; in: string; schema: Shape }[] } }>
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
}, 60_000)
afterAll(() => service.close())

const described = describeApi(routes, readConfig({})) as unknown as Described
const parameters = Object.entries(described.paths).flatMap(([path, { get }]) =>
  (get?.parameters ?? []).flatMap(({ name, in: place, schema }) => {
    const words = schema.enum ?? schema.items?.enum
    return place === 'query' && words !== undefined ? [{ path, name, words }] : []
  }),
)

it('parameters that take words of a closed list name them, for clients that are made from the document', () => {
  expect(parameters.map(({ path, name }) => `${path} ${name}`)).toEqual(
    expect.arrayContaining(['/cortex/search searchType', '/nous/signals status']),
  )
  expect(parameters.length).toBeGreaterThan(15)
  expect(JSON.stringify(described)).not.toContain('"words":')
})

it.each(parameters)(
  '$path takes each word of $name in any case, and no other',
  async ({ path, name, words }) => {
    const statusOf = async (word: string) =>
      (await service.call('GET', `${path}?${name}=${word}`)).status
    const sent = words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()])
    for (const word of sent) expect([word, await statusOf(word)]).toEqual([word, 200])
    expect(await statusOf('wombat')).toBe(400)
  },
)
