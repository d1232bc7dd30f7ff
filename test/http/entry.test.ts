import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { compileEntry, type Entry } from '../../src/http/entry.ts'
import { type Route, route } from '../../src/http/route.ts'
import type { ServedApp } from '../../src/http/served.ts'
import { openValidators } from '../../src/http/validate.ts'

const Data = Type.Object({})
const common = { summary: '', tag: 'operations', reply: Data, handle: () => ({}) } as const
const config = readConfig({ DOCUMENT_BYTES_MAX: '5000' })
const compile = (of: Route): Entry => compileEntry({ config } as ServedApp, of, openValidators())

it('what a route says of its address is read by its names, and a probe asks for no key', () => {
  const params = Type.Object({ id: Type.String(), at: Type.Integer() })
  const { name, parameterNames, checkParams, guarded, bodyKind } = compile(
    route({ ...common, method: 'GET', path: '/things/{id}/of/{at}', params }),
  )
  expect([name, parameterNames]).toEqual(['GET /things/{id}/of/{at}', ['id', 'at']])
  expect([guarded, bodyKind]).toEqual([true, 'none'])
  const sent = { id: 'a', at: '7' }
  checkParams?.(sent)
  expect(sent).toEqual({ id: 'a', at: 7 })
  expect(compile(route({ ...common, method: 'GET', path: '/livez' })).guarded).toBe(false)
})

it('a body has the limit that its route names, and is JSON unless that says otherwise', () => {
  const body = Type.Object({ a: Type.Integer() })
  const long = route({ ...common, method: 'POST', path: '/a', body, bodyLimit: 'documentBytesMax' })
  const { bodyKind, bodyLimit, advice, checkBody } = compile(long)
  expect([bodyKind, advice]).toEqual(['json', ''])
  expect(bodyLimit).toEqual({ bytesMax: 5000, setting: 'DOCUMENT_BYTES_MAX' })
  expect(() => checkBody?.({ a: '7' })).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED' }),
  )
  const streamed: Pick<Route, 'bodyKind' | 'consumes'> = {
    bodyKind: 'stream',
    consumes: ['application/x-ndjson'],
  }
  expect(compile(route({ ...common, ...streamed, method: 'POST', path: '/b' }))).toMatchObject({
    ...{ bodyKind: 'stream', advice: '; send application/x-ndjson as such' },
    bodyLimit: { bytesMax: config.bodyBytesMax, setting: 'BODY_BYTES_MAX' },
  })
})
