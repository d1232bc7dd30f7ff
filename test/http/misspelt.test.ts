import { expect, it } from 'vitest'
import { misspelt } from '../../src/http/misspelt.ts'

const schema = { properties: { sessionId: {}, feedback: {}, sessionIds: {} } }

it.each([
  ['sessionId', { session_id: 's', feedback: [] }],
  ['sessionId', { SessionID: 's' }],
  ['sessionId', { sesionId: 's' }],
  ['feedback[1].queryId', { feedback: [{}, { query_id: 'q' }] }],
  ['a.b.firstName', { a: { b: { 'first-name': 1 } } }],
  ['a', { [`${'_'.repeat(5000)}a`]: 1 }],
])('%s of %j is told to have another name there, which is not repeated', (path, body) => {
  expect(misspelt(path, body, schema)).toBe(
    'is required in this spelling; a name beside it that is nearly this one is not read',
  )
})

it.each([
  ['sessionId', {}],
  ['sessionId', { feedback: [] }],
  // A field that is read, too.
  ['sessionId', { sessionIds: [] }],
  ['feedback[0].queryId', { feedback: [{ queryIt: 1 }] }],
  ['feedback[7].queryId', { feedback: [{ query_id: 1 }] }],
  ['feedback[0].queryId', { feedback: 5 }],
  ['toString', { a: 1 }],
  ['constructor.name', {}],
  ['sessionId', null],
  ['', [1]],
])('%s of %j is not', (path, body) => {
  expect(misspelt(path, body, schema)).toBeUndefined()
})
