import { expect, it } from 'vitest'
import { native } from '../../../src/native.ts'
import { compileDefinition, definitionJson } from '../../../src/search/indices/definition.ts'
import { LANGUAGES, languageOf } from '../../../src/search/indices/languages.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

it('every language goes by its ISO 639-1 code, and no other code is one', () => {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const found: string[] = []
  for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
    const language = languageOf(code)
    if (language === undefined) continue
    expect(language).toBe(names.of(code)?.toLowerCase())
    found.push(language)
  }
  expect(found.sort()).toEqual([...LANGUAGES].sort())
})

it.each(LANGUAGES)('the core has a stemmer for %s', (language) => {
  const config = { embedder: 'learned', embedderDimensions: 384 } as const
  const definition = definitionJson(compileDefinition({ analysis: { language } }, {}, config))
  expect(definition).toContain(`"stemmer","language":"${language}"`)
  expect(() => native.check(definition)).not.toThrow()
})
