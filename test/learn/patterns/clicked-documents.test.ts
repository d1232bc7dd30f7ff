import { expect, it } from 'vitest'
import {
  addDocumentsTo,
  countDocument,
  mostClicked,
  NO_DOCUMENTS,
} from '../../../src/learn/patterns/clicked-documents.ts'

it('clicks under one query are none under another, though both begin with the common list of none', () => {
  const first = countDocument(NO_DOCUMENTS, '1/a', 3)
  const second = countDocument(NO_DOCUMENTS, '1/b', 1)
  expect([...countDocument(first, '1/a', 5)]).toEqual([['1/a', [2, 8]]])
  expect([...second]).toEqual([['1/b', [1, 1]]])
  expect(NO_DOCUMENTS.size).toBe(0)
})

it('a sum begins with a list of its own, and what it is a sum of stays as it was', () => {
  const hour = countDocument(NO_DOCUMENTS, '1/a', 2)
  const day = addDocumentsTo(addDocumentsTo(NO_DOCUMENTS, hour), hour)
  expect([...day]).toEqual([['1/a', [2, 4]]])
  expect([...hour]).toEqual([['1/a', [1, 2]]])
  expect(addDocumentsTo(NO_DOCUMENTS, NO_DOCUMENTS)).toBe(NO_DOCUMENTS)
})

it('a document beyond the tenth has no room; of a longer sum those clicked most stay, equal ones by name', () => {
  let documents = NO_DOCUMENTS
  for (let at = 0; at < 12; at += 1) documents = countDocument(documents, `1/${at}`, 1)
  expect([...documents.keys()]).toEqual(Array.from({ length: 10 }, (_, at) => `1/${at}`))
  const more = countDocument(countDocument(NO_DOCUMENTS, '1/x', 1), '1/x', 1)
  const kept = mostClicked(addDocumentsTo(documents, more))
  expect([...kept.keys()]).toEqual(['1/x', ...Array.from({ length: 9 }, (_, at) => `1/${at}`)])
})
