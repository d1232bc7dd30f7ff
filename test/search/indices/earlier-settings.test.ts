import { afterEach, expect, it } from 'vitest'
import { invalid, StartError } from '../../../src/errors.ts'
import type { IndexRecord, IndexSettings } from '../../../src/schema/indices.ts'
import { compileDefinition } from '../../../src/search/indices/definition.ts'
import { compileDeclared, definitionOf } from '../../../src/search/indices/earlier-settings.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

const CONFIG = { embedder: 'learned', embedderDimensions: 384, dataDir: '/data' } as const
const compile = (settings: object) => compileDefinition(settings as IndexSettings, {}, CONFIG)

let service: RunningApp | undefined
afterEach(() => service?.close())

/** Taken by one of the earlier versions, and not read. */
const EARLIER: [string, object, object][] = [
  [
    'analysis.stemming',
    { analysis: { stemming: 'light', language: 'de' } },
    { analysis: { language: 'de' } },
  ],
  [
    'index.analysis.stemming',
    { index: { analysis: { stemming: '' }, number_of_shards: 1 } },
    { index: { analysis: {} } },
  ],
  [
    'analysis.stopWords',
    { analysis: { language: 'none', stopWords: true } },
    { analysis: { language: 'none' } },
  ],
  ['embedder.model', { embedder: { kind: 'http', model: 3 } }, { embedder: { kind: 'http' } }],
  [
    'embedder.weights',
    { embedder: { kind: 'given', weights: [1] } },
    { embedder: { kind: 'given' } },
  ],
]

it.each(EARLIER)(
  'settings.%s that an earlier version took counts as not sent',
  (place, settings, read) => {
    expect(() => compile(settings)).toThrow(`settings.${place}`)
    const { warnings, ...definition } = compileDeclared(settings, compile)
    const { warnings: others, ...without } = compile(read)
    expect(definition).toEqual(without)
    expect(warnings.slice(others.length)).toEqual([
      expect.stringMatching(new RegExp(`^settings\\.${place}: not read since an update; .*\\.$`)),
    ])
  },
)

it('more than one of them count as not sent; what is sound is compiled as it is', () => {
  const settings = { analysis: { stemming: 'x' }, embedder: { kind: 'given', weights: true } }
  expect(compileDeclared(settings as never, compile).warnings).toHaveLength(2)
  expect(settings.analysis).toEqual({ stemming: 'x' })
  const sound = { analysis: { language: 'german' } }
  expect(compileDeclared(sound as never, compile)).toEqual(compile(sound))
})

it('what is wrong elsewhere, or stands nowhere, is told', () => {
  const refuse = (path: string) => () =>
    compileDeclared({ analysis: {} }, () => {
      throw invalid(path, 'is wrong')
    })
  for (const path of ['mappings.properties.a', 'settings.analysis.gone', 'settings.other.gone'])
    expect(refuse(path)).toThrow(`${path} is wrong.`)
  const bug = new Error('no refusal')
  expect(() =>
    compileDeclared({}, () => {
      throw bug
    }),
  ).toThrow(bug)
})

it('an index that can not be read stops the start with a sentence that names it', () => {
  const mappings = { properties: { a: { type: 'shape' } } }
  const record: IndexRecord = {
    id: 1,
    engineId: 2,
    name: 'maps',
    createdMs: 0,
    settings: {},
    mappings,
  }
  const read = () => definitionOf(record, CONFIG)
  expect(read).toThrow(StartError)
  expect(read).toThrow(
    /^The index "maps" of the data folder \/data was declared in a way that this version can't read \(mappings\.properties\.a\.type must be one of .*\.\) Start the version that made it/,
  )
})

it('a store of an earlier version opens with all of its indices, and their fields can be added to', async () => {
  service = await startApp()
  await service.must('POST', '/cortex/indices', { name: 'old' })
  const document = { title: 'Running' }
  await service.must('POST', '/cortex/documents', { index: 'old', id: 'a', document })
  const { indices } = service.app.store.tables
  const [{ value: record } = expect.fail()] = [...indices.range()]
  await service.app.store.write(() =>
    indices.put(record.id, { ...record, settings: { analysis: { stemming: 'light' } } }),
  )
  await service.restart()
  const found = async () =>
    (await service?.must<{ total: number }>('GET', '/cortex/search?q=run&index=old'))?.total
  expect(await found()).toBe(1)
  const { warnings, settings } = await service.must('GET', '/cortex/indices/old')
  expect(settings).toEqual({ analysis: { stemming: 'light' } })
  expect(warnings).toEqual([expect.stringContaining('settings.analysis.stemming')])
  const mappings = { properties: { year: { type: 'integer' } } }
  await service.must('PUT', '/cortex/indices/old', { mappings })
  expect(await found()).toBe(1)
})
