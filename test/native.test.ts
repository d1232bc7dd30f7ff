import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { native } from '../src/native.ts'
import { Facet, FacetRange } from '../src/schema/facet.ts'
import { HighlightOptions } from '../src/schema/search.ts'
import { FUSIONS, FUZZINESSES, OPERATORS } from '../src/schema/tuning.ts'

it('the addon exports what its declaration says and nothing else', () => {
  const declaration = readFileSync(new URL('../native/attune.d.ts', import.meta.url), 'utf8')
  const declared = [...declaration.matchAll(/^export function (\w+)\(/gm)].map(([, name]) => name)
  expect(Object.keys(native).toSorted()).toEqual(declared.toSorted())
})

it('the core knows the words of the lists that searches choose from, and no others', () => {
  const search = (words: object) => () => {
    const request = { query: '', mode: 'text', from: 0, size: 0, ...words }
    native.search(new Float64Array(), JSON.stringify(request))
  }
  const refusal = (words: readonly string[]) =>
    `unknown variant \`?\`, expected ${words.map((word) => `\`${word}\``).join(' or ')}`
  expect(search({ fusion: '?' })).toThrow(refusal(FUSIONS))
  expect(search({ operator: '?' })).toThrow(refusal(OPERATORS))
  for (const word of FUZZINESSES) expect(search({ fuzziness: word })).not.toThrow()
  expect(search({ fuzziness: '3' })).toThrow(/^BAD_REQUEST: /)
})

/** Names inside the braces behind `head` in a file, one a line. */
function namesIn(path: string, head: string, name: RegExp): string[] {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const [, body = ''] = new RegExp(`^${head} {\\n(.*?)^}`, 'ms').exec(text) ?? []
  return [...body.matchAll(name)].map(([, found]) => String(found))
}

const REQUEST = 'src/search/query/core-request.ts'
const sentIn = (type: string) => namesIn(REQUEST, `export interface ${type}`, /^ {2}(\w+)\??:/gm)

it.each([
  ['query.rs', 'pub struct Request', sentIn('CoreRequest')],
  ['query.rs', 'pub struct SortKey', sentIn('SortKey')],
  ['query.rs', 'pub struct FacetRequest', ['field', ...Object.keys(Facet.properties)]],
  ['query.rs', 'pub struct FacetRange', Object.keys(FacetRange.properties)],
  ['highlight.rs', 'struct Options', Object.keys(HighlightOptions.properties)],
])('the core reads each word that a search sends it: %s, %s', (file, struct, words) => {
  const fields = namesIn(`native/src/search/${file}`, struct, /^ {4}(?:pub )?(\w+):/gm)
  const unread = words.filter(
    (word) => !fields.includes(word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  )
  expect(words.length).toBeGreaterThan(1)
  expect(unread, `what ${struct} does not name is passed over`).toEqual([])
})

it('a loaded model scores as the one that is given', () => {
  const model = JSON.stringify({
    kind: 'linear',
    features: ['bm25', 'age'],
    weights: [2, -1],
    bias: 0.5,
  })
  const rows = Float32Array.of(1, 0, 0, 3)
  native.loadModel(77_001, model)
  try {
    expect([...native.predict(77_001, rows)]).toEqual([2.5, -2.5])
    expect([...native.predict(model, rows)]).toEqual([2.5, -2.5])
  } finally {
    native.dropModel(77_001)
  }
  expect(() => native.predict(77_001, rows)).toThrow(/^BAD_REQUEST: /)
})

it('features keep the places at which stored rows hold them', () => {
  const stored = [
    ...['textScore', 'vectorScore', 'bm25', 'cosine', 'textRank', 'vectorRank', 'fusedScore'],
    ...['matchedTerms', 'titleTerms', 'exactTitle', 'proximity', 'documentLength', 'age'],
    ...[
      'clickMemory',
      'queryLength',
      'indexSize',
      'titleScore',
      'bodyScore',
      'device',
      'clickRate',
    ],
  ]
  expect(native.featureNames(), 'a new one stands behind all others, here too').toEqual(stored)
})

it('the table of features tells of each, in the order of a row', () => {
  const file = readFileSync(new URL('../native/src/search/features.rs', import.meta.url), 'utf8')
  const told = [...file.matchAll(/^\/\/! \| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(told).toEqual(native.featureNames())
})

it('the chapter on learning tells of each feature once', () => {
  const file = readFileSync(new URL('../docs/learning.md', import.meta.url), 'utf8')
  const [, table = ''] = /## What models see\n[^|]*(\|[\s\S]*?)\n\n/.exec(file) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const told = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  expect(told.sort()).toEqual([...native.featureNames()].sort())
})

it('a model from before a feature was added ranks as it did', () => {
  const features = native.featureNames().slice(0, 19)
  expect(native.featureNames().indexOf('clickRate')).toBe(features.length)
  const weights = features.map((_, at) => at)
  native.loadModel(77_003, JSON.stringify({ kind: 'linear', features, weights }))
  const row = Float32Array.from(features, () => 1)
  expect([...native.predict(77_003, row)]).toEqual([171])
  native.dropModel(77_003)
})

it('a trained model is one that can be loaded', () => {
  const features = ['bm25', 'age']
  const rows = Float32Array.from({ length: 40 }, (_, at) => ((at * 7) % 11) / 10)
  const labels = Float32Array.from({ length: 20 }, (_, row) => ((rows[2 * row] ?? 0) > 0.5 ? 1 : 0))
  for (const kind of ['linear', 'trees']) {
    const options = JSON.stringify({ kind, features })
    const model = native.train(options, rows, labels, Uint32Array.of(10, 10))
    native.loadModel(77_002, model)
    expect(native.predict(77_002, rows)).toHaveLength(20)
    native.dropModel(77_002)
  }
})
