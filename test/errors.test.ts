import { expect, it } from 'vitest'
import { namedError, ServiceError } from '../src/errors.ts'
import { native } from '../src/native.ts'

function coreSays(json: string): unknown {
  try {
    native.check(json)
  } catch (cause) {
    return namedError(cause)
  }
  throw new Error('The core took it.')
}

it('a refusal of the core in its own words reaches the client', () => {
  const definition = { fields: [], embedder: { kind: 'learned', dimensions: 0 } }
  const named = coreSays(JSON.stringify(definition))
  expect(named).toBeInstanceOf(ServiceError)
  expect(named).toMatchObject({ status: 400, message: 'dimensions must be 1 to 8192' })
})

it('what its parser says of JSON that was made here does not: that is our mistake', () => {
  const named = coreSays('{"fields":[],"embedder":{"kind":"learned","dimensions":"0.99"}}')
  expect(named).not.toBeInstanceOf(ServiceError)
  expect(String(named)).toContain('line 1 column')
})
