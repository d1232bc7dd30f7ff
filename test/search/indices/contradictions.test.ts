import { describe, expect, it } from 'vitest'
import type { IndexSettings } from '../../../src/schema/indices.ts'
import { refuseContradictions } from '../../../src/search/indices/contradictions.ts'

const grams = (options: object) => ({ tokenizer: { t: { type: 'ngram', ...options } } })

describe('settings of which only one can hold', () => {
  it.each([
    [{ shards: 1, number_of_shards: 2 }, 'settings.number_of_shards'],
    [{ shards: 1, index: { number_of_shards: 2 } }, 'settings.index.number_of_shards'],
    [{ replication: 0, number_of_replicas: 1 }, 'settings.number_of_replicas'],
    [{ analysis: {}, index: { analysis: { language: 'german' } } }, 'settings.index.analysis'],
    [{ analysis: { stopWords: ['a'], stopwords: ['b'] } }, 'settings.analysis.stopwords'],
    [{ analysis: grams({ min_gram: 4, max_gram: 3 }) }, 'settings.analysis.tokenizer.t.min_gram'],
    [
      { index: { analysis: grams({ min_gram: '4', max_gram: 3 }) } },
      'settings.index.analysis.tokenizer.t.min_gram',
    ],
    [
      { index: { analysis: { stopWords: ['a'], stopwords: ['b'] } } },
      'settings.index.analysis.stopwords',
    ],
    [{ analysis: grams({ max_gram: 64 }) }, 'settings.analysis.tokenizer.t.max_gram'],
    [{ analysis: grams({ min_gram: 2, max_gram: 22 }) }, 'settings.analysis.tokenizer.t.max_gram'],
    [
      { analysis: grams({ type: 'NGRAM', min_gram: 2, max_gram: 22 }) },
      'settings.analysis.tokenizer.t.max_gram',
    ],
  ])('%j are refused by the place of the second', (settings, path) => {
    expect(() => refuseContradictions(settings as IndexSettings)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    )
  })

  it.each([
    {},
    { shards: 2, number_of_shards: 2, index: { number_of_shards: 2 } },
    { shards: 2, number_of_replicas: 1 },
    { analysis: { language: 'german' }, index: { analysis: { language: 'german' } } },
    { analysis: grams({ min_gram: 3, max_gram: 3 }) },
    { analysis: grams({ min_gram: 3 }) },
    { analysis: grams({ min_gram: { toString: 'x' }, max_gram: { valueOf: 3 } }) },
    { analysis: grams({ min_gram: 4, max_gram: [] }) },
    { analysis: grams({ max_gram: 1 }) },
    { analysis: grams({ min_gram: 45 }) },
    { analysis: grams({ min_gram: 2, max_gram: 21 }) },
    { analysis: grams({ type: 'edge_ngram', min_gram: 1, max_gram: 64 }) },
  ])('%j are none', (settings) => {
    expect(() => refuseContradictions(settings as IndexSettings)).not.toThrow()
  })
})
