import { afterEach, expect, it } from 'vitest'
import { native } from '../../../src/native.ts'
import { compileDefinition, definitionJson } from '../../../src/search/indices/definition.ts'
import { LANGUAGES, STOP_WORD_LANGUAGES } from '../../../src/search/indices/languages.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const CONFIG = { embedder: 'learned', embedderDimensions: 384 } as const
const compile = (analysis: object) => compileDefinition({ analysis }, {}, CONFIG)

let service: RunningApp | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

it('the languages with a list are those of which the core leaves words out', () => {
  const common = 'og het the ja les und az della uma и los och'.split(' ')
  const leavesOut = (language: string, at: number) => {
    const id = 9000 + at
    native.open(id, temporaryFolder(), definitionJson(compile({ language, stemming: false })))
    try {
      return native.analyze(id, 'title', `${common.join(' ')} zzz`).length <= common.length
    } finally {
      native.close(id)
    }
  }
  expect(LANGUAGES.filter(leavesOut)).toEqual(STOP_WORD_LANGUAGES)
})

it('an index is declared with the list of a language that has none, which a warning tells; an unknown name is refused', async () => {
  service = await startApp()
  const declare = (name: string, stopWords: unknown) => {
    const settings = { analysis: { language: 'polish', stopWords } }
    return service?.call('POST', '/cortex/indices', { name, settings })
  }
  const { status, code, details } = (await declare('a', '_klingon_')) ?? expect.fail()
  expect([status, code]).toEqual([400, 'UNKNOWN_ANALYZER'])
  const message = expect.stringMatching(/; known are _none_, _danish_, .*, _spanish_, _swedish_/)
  expect(details).toEqual([{ path: 'settings.analysis.stopWords', message }])
  expect(details[0]?.message).not.toContain('_polish_')
  const warnings = [expect.stringContaining('there is no list of stop words for polish')]
  expect(await declare('b', '_polish_')).toMatchObject({ status: 200, data: { warnings } })
  const { data } = (await declare('c', ['i', 'na'])) ?? expect.fail()
  expect(data).not.toHaveProperty('warnings')
})

it('a warning says where words of a language without a list are asked for', () => {
  const warnings = (analysis: object) => compile(analysis).warnings
  const warning =
    'settings.analysis.stopWords: recorded, not honoured; there is no list of stop words for polish: send your own.'
  expect(warnings({ language: 'pl', stopWords: true })).toEqual([warning])
  expect(warnings({ stemming: 'polish', stopWords: true })).toEqual([warning])
  const elsewhere = {
    analyzer: { a: { type: 'english', stopwords: '_Turkish_' } },
    filter: { stop: { stopwords: 'ar' } },
  }
  expect(warnings(elsewhere).map((text) => text.split(':')[0])).toEqual([
    'settings.analysis.analyzer.a.stopwords',
    'settings.analysis.filter.stop.stopwords',
  ])
  for (const sound of [
    { language: 'pl' },
    { language: 'pl', stopWords: false },
    { stopWords: true },
  ])
    expect(warnings(sound)).toEqual([])
})
