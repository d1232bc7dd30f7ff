import { describe, expect, it } from 'vitest'
import { readTuning } from '../../../src/learn/plan/tuning.ts'

const RULE = 'must be words that mean the same, as a list or a text with commas, or a text "a => b"'

describe('a free-form configuration', () => {
  it.each([
    [{ fieldWeights: { title: 2 } }, { fieldWeights: { title: 2 } }],
    [
      { boost: { title: 2, vector: 0.4 } },
      { fieldWeights: { title: 2 }, legWeights: { text: 0.6, vector: 0.4 } },
    ],
    [{ textWeight: 0.7, vectorWeight: 0.3 }, { legWeights: { text: 0.7, vector: 0.3 } }],
    [
      { fusion: 'RRF', operator: 'AND', fuzziness: 'auto' },
      { fusion: 'rrf', operator: 'and', fuzziness: 'AUTO' },
    ],
    [{ thresholds: { minScore: 0.2, similarity: 0.1 } }, { minScore: 0.2, similarity: 0.1 }],
    [{ pinned: ['a', { id: 'b', index: 'i' }] }, { pins: [{ id: 'a' }, { id: 'b', index: 'i' }] }],
    [
      { boosts: { a: 0.5, b: -0.2 } },
      {
        boosts: [
          { id: 'a', value: 0.5 },
          { id: 'b', value: -0.2 },
        ],
      },
    ],
    [{ boosts: ['a'] }, { boosts: [{ id: 'a', value: 0.1 }] }],
    [
      { synonyms: ['tv, television', 'car => automobile', 'a,b=>c , d', ['x', ' y ', '']] },
      {
        synonyms: [['tv', 'television'], ['car => automobile'], ['a, b => c, d'], ['x', 'y']],
      },
    ],
    // A list is the text of its words, as where an index is declared.
    [{ synonyms: [['a', 'b => c']] }, { synonyms: [['a, b => c']] }],
    [{ pins: { b: 2, a: 1 } }, { pins: [{ id: 'b' }, { id: 'a' }] }],
    [
      { model: null, learning: false },
      { model: null, learning: false },
    ],
    [{ modelId: 'm@2' }, { model: 'm@2' }],
    // A number is the weight of a field, whatever that is called.
    [
      { weights: { text: 0.6, title: 2, model: 3, fusion: 'RRF' } },
      {
        legWeights: { text: 0.6, vector: 0.4 },
        fieldWeights: { title: 2, model: 3 },
        fusion: 'rrf',
      },
    ],
    [{ weights: { fields: { title: 2 }, model: 'm' } }, { fieldWeights: { title: 2 }, model: 'm' }],
  ])('reads %j', (config, tuning) => {
    expect(readTuning(config)).toEqual({ tuning, unread: [], wrong: [] })
  })

  it.each(['valueOf', 'hasOwnProperty', 'constructor', 'toString', '__proto__'])(
    'leaves %s unread, which no setting is called',
    (name) => {
      const config = JSON.parse(`{"${name}": 1}`)
      expect(readTuning(config)).toEqual({ tuning: {}, unread: [name], wrong: [] })
    },
  )

  it('names the setting that an unread name most likely means, of the first ones', () => {
    const config = { fieldWeigths: { title: 2 }, ranking: { fusionn: 'rrf' }, colour: 1 }
    expect(readTuning(config).unread).toEqual([
      'fieldWeigths (fieldWeights is a setting)',
      'ranking.fusionn (fusion is a setting)',
      'colour',
    ])
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`fusion${at}`, 1]))
    const { unread } = readTuning(many)
    expect(unread.filter((each) => each.endsWith('(fusion is a setting)'))).toHaveLength(20)
    expect(unread[99]).toBe('fusion99')
  })

  it('reads a list of settings as one', () => {
    const changes = [
      { field: 'title', weight: 2 },
      { parameter: 'ranking.vectorWeight', newValue: 0.4 },
      { key: 'fusion', to: 'rrf' },
      { minScore: 0.1 },
    ]
    expect(readTuning(changes)).toEqual({
      tuning: {
        fieldWeights: { title: 2 },
        legWeights: { text: 0.6, vector: 0.4 },
        fusion: 'rrf',
        minScore: 0.1,
      },
      ...{ unread: [], wrong: [] },
    })
  })

  it.each([
    [{ colour: 'blue' }, ['colour']],
    ...['pins', 'pinned', 'synonyms', 'boosts'].map((name): [object, string[]] => [
      { [name]: [] },
      [`${name} (empty, which counts as not sent)`],
    ]),
    ...['fieldWeights', 'fields', 'weights', 'boost', 'boosts'].map((name): [object, string[]] => [
      { ranking: { [name]: {} } },
      [`ranking.${name} (empty, which counts as not sent)`],
    ]),
    [{ thresholds: { colour: 1 } }, ['thresholds.colour']],
    [{ ranking: 'fast' }, ['ranking']],
    [
      ['faster', 'fusion', { parameter: 'colour', value: 1 }],
      ['faster', 'fusion', 'colour'],
    ],
    // What has no name is told by its place.
    [[[]], ['[0] (must be a setting: an object, or {parameter, value})']],
    [
      ['faster', [{ fusion: 'rrf' }], ' '],
      [
        'faster',
        ...[1, 2].map((at) => `[${at}] (must be a setting: an object, or {parameter, value})`),
      ],
    ],
    [{ '': 1, ranking: { ' ': 1 } }, ['(no name)', 'ranking.(no name)']],
    [[{ parameter: '', value: 1 }], ['(no name)']],
    // Everyday words that mean something else here.
    [{ boost: 1.5 }, ['boost (must be an object of weights by name)']],
    [{ weights: { age: -0.2 } }, ['weights.age (must be a number from 0 to 1000000)']],
    [{ weights: { fusion: 'max', title: 2 } }, ['weights.fusion (must be one of convex, rrf)']],
    [{ fields: ['title'] }, ['fields (must be an object of weights by name)']],
    [{ model: { trees: 9 } }, ['model (must be the name of a model, or null for none)']],
    [{ learning: { rate: 0.1 } }, ['learning (must be true or false)']],
    [{ learning: 'off' }, ['learning (must be true or false)']],
    [{ fusion: 'max' }, ['fusion (must be one of convex, rrf)']],
    [{ similarity: 'dot' }, ['similarity (must be a number from -1 to 1)']],
    [{ synonyms: { tv: ['set'] } }, ['synonyms (must be a list)']],
    [{ boosts: { a: 'much' } }, ['boosts.a (must be a number from -1000000 to 1000000)']],
    ['text', []],
    [undefined, []],
  ])('names what it does not understand in %j', (config, unread) => {
    expect(readTuning(config)).toEqual({ tuning: {}, unread, wrong: [] })
  })

  it.each([
    [{ fieldWeights: { title: -1 } }, 'fieldWeights.title', 'must be a number from 0 to 1000000'],
    [{ fieldWeights: { title: 'x' } }, 'fieldWeights.title', 'must be a number from 0 to 1000000'],
    // The core would refuse every search with these.
    [{ fieldWeights: { title: 2e6 } }, 'fieldWeights.title', 'must be a number from 0 to 1000000'],
    [{ textWeight: 1e308 }, 'textWeight', 'must be a number from 0 to 1000000'],
    [{ fieldWeights: 2 }, 'fieldWeights', 'must be an object of weights by name'],
    [{ boost: { vector: '1' } }, 'boost.vector', 'must be a number from 0 to 1000000'],
    [{ textWeight: '0.5' }, 'textWeight', 'must be a number from 0 to 1000000'],
    [{ fuzziness: 3 }, 'fuzziness', 'must be one of 0, 1, 2, auto'],
    ...['pins', 'pinned', 'boosts'].flatMap((name) =>
      [5, true, 'a', null].map((value): [object, string, string] => [
        { [name]: value },
        name,
        'must be a list of ids, or of objects with an id',
      ]),
    ),
    [{ neighbors: 0 }, 'neighbors', 'must be a whole number from 1 to 10000'],
    [{ neighbors: 9.5 }, 'neighbors', 'must be a whole number from 1 to 10000'],
    [{ thresholds: { similarity: 2 } }, 'thresholds.similarity', 'must be a number from -1 to 1'],
    [{ model: 5 }, 'model', 'must be the name of a model, or null for none'],
    [{ synonyms: 'tv' }, 'synonyms', 'must be a list'],
    [{ synonyms: ['a, b', 5] }, 'synonyms[1]', RULE],
    ...[
      'a =>',
      '=> b',
      '=>',
      'a => b => c',
      'a, => b',
      'a => b,',
      '',
      ' , ',
      ['a => b', 'c => d'],
      ['a => b', ''],
      [],
    ].map((rule): [object, string, string] => [{ synonyms: ['x, y', rule] }, 'synonyms[1]', RULE]),
    [{ pins: [{ id: 'a', index: 5 }] }, 'pins[0].index', 'must be the name of an index'],
    [{ pins: 'a' }, 'pins', 'must be a list of ids, or of objects with an id'],
    [{ pins: ['a', {}] }, 'pins[1]', 'must be the id of a document, or an object with an id'],
    [{ pins: ['a', ''] }, 'pins[1]', 'must name a document by an id of 1 to 512 bytes'],
    [
      { pins: [{ id: 'é'.repeat(257) }] },
      'pins[0]',
      'must name a document by an id of 1 to 512 bytes',
    ],
    [{ pins: [{ id: 'a', index: '' }] }, 'pins[0].index', 'must be the name of an index'],
    [
      [{ minScore: 1 }, { key: 'neighbors', to: 0 }],
      '[1].neighbors',
      'must be a whole number from 1 to 10000',
    ],
  ])('says what may stand in %j', (config, path, message) => {
    expect(readTuning(config).wrong).toEqual([{ path, message }])
  })

  it('takes lists only as long as every search can carry them', () => {
    const long = { pins: Array(101).fill('a'), synonyms: Array(201).fill('a, b') }
    expect(readTuning(long).wrong).toEqual([
      { path: 'pins', message: 'must hold at most 100 entries' },
      { path: 'synonyms', message: 'must hold at most 200 entries' },
    ])
    const weights = Object.fromEntries(Array.from({ length: 1025 }, (_, n) => [`f${n}`, 1]))
    const message = 'must hold at most 1024 fields, as in a search'
    expect(readTuning({ fieldWeights: weights }).wrong).toEqual([{ path: 'fieldWeights', message }])
    expect(readTuning({ boost: { text: 0.5, ...weights } }).wrong).toEqual([
      { path: 'boost', message },
    ])
    const { f0: _, ...most } = weights
    expect(readTuning({ fieldWeights: most })).toMatchObject({ wrong: [], unread: [] })
    const words = Array.from({ length: 102 }, (_, at) => `w${at}`)
    expect(readTuning({ synonyms: ['a, b', words] }).wrong).toEqual([
      { path: 'synonyms[1]', message: 'gives a word more than 100 others: leave some out' },
    ])
    for (const rule of [words.slice(1), `${words} => a`])
      expect(readTuning({ synonyms: [rule] }).wrong).toEqual([])
    const tooManyBoosts = { path: 'boosts', message: 'must hold at most 1000 entries' }
    expect(readTuning({ boosts: Array(1001).fill('a') }).wrong).toEqual([tooManyBoosts])
    const boosts = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, at) => [`d${at}`, 1]))
    expect(readTuning({ boosts: boosts(1001) })).toEqual({
      tuning: {},
      unread: [],
      wrong: [tooManyBoosts],
    })
    expect(readTuning({ pinned: boosts(101) })).toEqual({
      tuning: {},
      unread: [],
      wrong: [{ path: 'pinned', message: 'must hold at most 100 entries' }],
    })
    expect(readTuning({ pins: Array(100).fill('a'), boosts: boosts(1000) }).wrong).toEqual([])
    expect(readTuning({ pins: boosts(100) }).tuning.pins).toHaveLength(100)
  })

  it('names what it does not read inside of pins, boosts and synonyms, once for all entries', () => {
    const pin = 'pins stand in the order of the list, and have id and index'
    const boost = 'a boost has id, index, and value: the number to add'
    const changes = {
      pins: ['1', { id: '2', position: 2 }, { id: '3', index: 'i', position: 1, value: 4 }],
      ranking: {
        boosts: [
          { id: '2', weight: 5 },
          { id: '4', value: 1, weight: 6 },
        ],
      },
      synonyms: ['lone', 'a, b'],
    }
    expect(readTuning(changes)).toEqual({
      tuning: {
        pins: [{ id: '1' }, { id: '2' }, { id: '3', index: 'i' }],
        boosts: [
          { id: '2', value: 0.1 },
          { id: '4', value: 1 },
        ],
        synonyms: [['lone'], ['a', 'b']],
      },
      unread: [
        `pins[1].position (${pin})`,
        `pins[2].value (${pin})`,
        `ranking.boosts[0].weight (${boost})`,
        'synonyms[0] (one word alone means the same as no other)',
      ],
      wrong: [],
    })
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, at]))
    expect(readTuning({ pins: [{ id: '1', ...many }] }).unread).toHaveLength(8)
  })

  it('names the first boost of which only a part counts', () => {
    const boosts = [
      { id: '1', value: 100 },
      { id: '2', value: -200 },
      { id: '3', value: 300 },
    ]
    const cut = 'counts as -100: -100 to 100 count'
    expect(readTuning({ boosts }).unread).toEqual([`boosts[1].value (${cut})`])
    expect(readTuning({ boosts: { b: -101 } }).tuning.boosts).toEqual([{ id: 'b', value: -100 }])
    expect(readTuning({ boosts: { a: 1, b: -101 } }).unread).toEqual([`boosts.b (${cut})`])
  })
})

it('a setting stands a few groups deep at most, and its name has some parts', () => {
  const named = (parts: number, value: unknown = 0.5) =>
    readTuning([{ parameter: `${'ranking.'.repeat(parts)}minScore`, value }])
  expect(named(8)).toMatchObject({ tuning: { minScore: 0.5 }, unread: [] })
  expect(named(9)).toMatchObject({ tuning: {}, unread: [`${'ranking.'.repeat(8)}ranking`] })
  const long = 'ranking.'.repeat(100_000)
  const read = readTuning(Array.from({ length: 9 }, () => ({ parameter: long, value: 1 })))
  expect(read.tuning).toEqual({})
  expect(read.unread).toEqual(Array.from({ length: 9 }, () => long))
})
