import { expect, it } from 'vitest'
import {
  type Asked,
  askersNamed,
  NOBODY,
  SEVERAL,
  withAsker,
} from '../../../src/learn/patterns/askers.ts'

it('one who asks again stays the only one; with another they are several, whoever comes then', () => {
  const ann = withAsker(NOBODY, { unit: 'ann', sessionId: 's-1' })
  expect(askersNamed(['bob', 'ann'])).toContain(ann)
  expect(withAsker(ann, { unit: 'ann', sessionId: 's-2' })).toBe(ann)
  expect(withAsker(ann, { sessionId: 's-1' })).toBe(SEVERAL)
  expect(withAsker(NOBODY, {})).toBe(SEVERAL)
  const unread: Asked = {
    get unit(): string {
      throw new Error('read')
    },
  }
  expect(withAsker(SEVERAL, unread)).toBe(SEVERAL)
})
