import { expect, it } from 'vitest'
import { readFilter } from '../../../src/search/indices/analysis-parts.ts'
import { refuseContradictions } from '../../../src/search/indices/contradictions.ts'
import { unhonouredIn } from '../../../src/search/indices/unhonoured.ts'

const placesIn = (analysis: object) =>
  unhonouredIn({ analysis }, {}).map((warning) => warning.split(':')[0])

it('what is said of an analyzer, a tokenizer or a filter, and not read, is told', () => {
  const analysis = {
    analyzer: {
      own: { tokenizer: 'cut', filter: ['long'], stopwords: ['a'] },
      built: { type: 'English', tokenizer: 'cut', stopwords: ['a'], stem_exclusion: ['b'] },
    },
    tokenizer: {
      cut: { type: 'ngram', min_gram: 2, max_gram: 3, token_chars: ['letter'] },
      words: { type: 'standard', max_token_length: 9, min_gram: 2 },
    },
    filter: {
      long: { type: 'length', min: 2, max: 9, unit: 'bytes' },
      lowercase: { language: 'greek' },
      stop: { stopwords: ['a'], ignore_case: true },
      same: { type: 'synonym', synonyms: ['a, b'], synonyms_path: 'rules.txt', expand: false },
    },
  }
  expect(placesIn(analysis)).toEqual([
    'settings.analysis.analyzer.own.stopwords',
    'settings.analysis.analyzer.built.tokenizer',
    'settings.analysis.analyzer.built.stem_exclusion',
    'settings.analysis.tokenizer.cut.token_chars',
    'settings.analysis.tokenizer.words.max_token_length',
    'settings.analysis.tokenizer.words.min_gram',
    'settings.analysis.filter.long.unit',
    'settings.analysis.filter.lowercase.language',
    'settings.analysis.filter.stop.ignore_case',
    'settings.analysis.filter.same.synonyms_path',
    'settings.analysis.filter.same.expand',
  ])
})

it('what is called otherwise in an analyzer or a filter is told with its name', () => {
  const analysis = {
    analyzer: { own: { type: 'standard', stop_words: ['a'], char_filters: [] } },
    filter: { few: { type: 'stop', stopWords: ['a'] } },
  }
  expect(unhonouredIn({ analysis }, {})).toEqual([
    'settings.analysis.analyzer.own.stop_words: recorded, not honoured; "stopwords" is.',
    'settings.analysis.analyzer.own.char_filters: recorded, not honoured.',
    'settings.analysis.filter.few.stopWords: recorded, not honoured; "stopwords" is.',
  ])
})

it('what says no more than is done anyway is told by nobody', () => {
  const analysis = {
    analyzer: { own: { type: 'custom', tokenizer: 'cut', filters: ['same'], char_filter: [] } },
    tokenizer: { cut: { type: 'edge_ngram', min_gram: 2, token_chars: ['letter', 'digit'] } },
    filter: {
      same: { type: 'synonym', synonyms: ['a, b'], expand: true, lenient: false },
      folds: { type: 'asciifolding', preserve_original: 'false' },
      few: { type: 'stop', stopwords: '_none_', remove_trailing: true },
      stems: { type: 'stemmer', name: 'german' },
    },
  }
  expect(placesIn(analysis)).toEqual([])
})

it('a filter by length that lets no word pass is refused', () => {
  const refuse = (length: object) => () => {
    const analysis: object = { filter: { f: { type: 'length', ...length } } }
    refuseContradictions({ analysis })
  }
  for (const length of [{ min: 2 }, { min: 0 }, { min: '3', max: 3 }, { max: 9 }])
    expect(refuse(length)).not.toThrow()
  expect(refuse({ min: 4, max: 3 })).toThrow('must be at most its max')
  expect(refuse({ min: 65 })).toThrow('which is 64 where none is sent')
  for (const min of [-1, 1.5, 'two', {}]) expect(refuse({ min })).toThrow('must be a whole number')
})

it('a filter by length has the least and the greatest length that was sent, and goes on without a least one that is none', () => {
  const read = (length: object) => {
    const analysis = { filter: { f: { type: 'length', ...length } } }
    return readFilter('f', { path: 'settings.analysis', analysis }, '')
  }
  expect(read({ min: '3', max: 5 })).toEqual({ type: 'length', min: 3, max: 5 })
  expect(read({ min: 0 })).toEqual({ type: 'length', max: 64 })
  expect(read({ min: 'two' })).toEqual({ type: 'length', max: 64 })
})
