import { expect, it } from 'vitest'
import { unhonouredIn } from '../../../src/search/indices/unhonoured.ts'

it('a declaration is told of so much that it asks for in vain, not of all', () => {
  const names = Array.from({ length: 40 }, (_, at) => [`setting${at}`, at])
  const warnings = unhonouredIn(Object.fromEntries(names), {})
  expect(warnings).toHaveLength(32)
  expect(warnings[31]).toBe('settings.setting31: recorded, not honoured.')
})

it('a mistyped name is told with the one that was meant', () => {
  const properties = { path: { type: 'keyword', searchd: true }, year: { type: 'integer', x: 1 } }
  const settings: object = { analysis: { synonims: [] } }
  expect(unhonouredIn(settings, { properties })).toEqual([
    'settings.analysis.synonims: recorded, not honoured; "synonyms" is.',
    'mappings.properties.path.searchd: recorded, not honoured; "searched" is.',
    'mappings.properties.year.x: recorded, not honoured.',
  ])
})
