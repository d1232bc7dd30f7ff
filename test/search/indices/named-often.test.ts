import { expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import type { IndexSettings } from '../../../src/schema/indices.ts'
import { refuseNamedOften } from '../../../src/search/indices/named-often.ts'

const MESSAGE =
  'is too much: the filters of all analyzers together, each counted as often as it is named, may have 500000 stop words and others of words'

async function refused(analysis: object): Promise<unknown> {
  try {
    await refuseNamedOften({ analysis } as IndexSettings)
    return undefined
  } catch (cause) {
    return cause instanceof ServiceError ? cause.details : cause
  }
}

function analyzers(count: number, filter: unknown): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`a${at}`, { tokenizer: 'standard', filter }]),
  )
}

it('a long filter that many analyzers name is refused by the one that is too much', async () => {
  const synonyms = Array.from({ length: 5000 }, (_, at) => `a${at}, b${at}`)
  const filter = { rules: { type: 'synonym', synonyms } }
  expect(await refused({ filter, analyzer: analyzers(50, ['lowercase', 'rules']) })).toEqual([
    { path: 'settings.analysis.analyzer.a49', message: MESSAGE },
  ])
  expect(await refused({ filter, analyzer: analyzers(49, ['lowercase', 'rules']) })).toBe(undefined)
  expect(await refused({ filter, analyzer: analyzers(51, 'rules') })).toHaveLength(1)
})

it('so are stop words, long rules, and one analyzer that names the same over and over', async () => {
  const words = Array.from({ length: 500 }, (_, at) => `w${at}`)
  const filter = {
    stop: { type: 'stop', stopwords: words },
    one: { type: 'synonym', synonyms: [words] },
  }
  expect(await refused({ filter, analyzer: analyzers(1000, ['stop']) })).toHaveLength(1)
  expect(await refused({ filter, analyzer: analyzers(3, ['one']) })).toHaveLength(1)
  expect(await refused({ analyzer: { a: { filter: Array(20_000).fill('stop') } } })).toHaveLength(1)
  expect(await refused({ filter, analyzer: analyzers(500, ['stop']) })).toBe(undefined)
})

it('what has no analyzers of its own, or some of another form, is taken', async () => {
  for (const analysis of [{}, { analyzer: {} }, { analyzer: { a: 5, b: { filter: {} } } }])
    expect(await refused(analysis)).toBe(undefined)
})
