import { expect, it } from 'vitest'
import { openAdmission, openCors } from '../../src/http/access.ts'
import type { Exchange } from '../../src/http/exchange.ts'

const sending = (headers: Record<string, string>) =>
  ({ header: (name: string) => headers[name] }) as Partial<Exchange> as Exchange

it.each([
  ['first', 'first, second,third', true],
  ['second', 'first, second,third', true],
  ['third', 'first, second,third', true],
  ['fourth', 'first, second,third', false],
  ['', 'first', false],
  ['first, second', 'first, second', false],
])('the key %j is admitted by the keys %j: %s', (key, apiKeys, isAdmitted) => {
  const admit = () => openAdmission({ apiKeys })(sending({ authorization: `Bearer ${key}` }))
  if (isAdmitted) expect(admit).not.toThrow()
  else expect(admit).toThrow('asks for a valid API key')
})

it('every origin that is allowed may read an answer; to others caches learn that it depends on the origin', () => {
  const cors = openCors({ cors: 'https://a.example, https://b.example' })
  const allowed = (origin: string) => Object.fromEntries(cors(sending({ origin })))
  for (const origin of ['https://a.example', 'https://b.example'])
    expect(allowed(origin)).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' })
  expect(allowed('https://c.example')).toEqual({ vary: 'origin' })
  expect(cors(sending({}))).toEqual([['vary', 'origin']])
})
