import { describe, expect, it } from 'vitest'
import { layTunings, readTuning } from '../../src/learn/tuning.ts'

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
      { synonyms: ['tv, television', 'car => automobile'] },
      { synonyms: [['tv', 'television'], ['car => automobile']] },
    ],
    [
      { model: null, learning: false },
      { model: null, learning: false },
    ],
    [{ modelId: 'm@2' }, { model: 'm@2' }],
  ])('reads %j', (config, tuning) => {
    expect(readTuning(config)).toEqual({ tuning, unread: [] })
  })

  it.each(['valueOf', 'hasOwnProperty', 'constructor', 'toString', '__proto__'])(
    'leaves %s unread, which no setting is called',
    (name) => {
      const config = JSON.parse(`{"${name}": 1}`)
      expect(readTuning(config)).toEqual({ tuning: {}, unread: [name] })
    },
  )

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
      unread: [],
    })
  })

  it.each([
    [{ colour: 'blue' }, ['colour']],
    [{ fieldWeights: { title: -1 } }, ['fieldWeights']],
    [{ fusion: 'magic' }, ['fusion']],
    [{ boosts: { a: 'much' } }, ['boosts']],
    [{ boosts: { a: Number.NaN } }, ['boosts']],
    [{ pins: [] }, ['pins']],
    [{ thresholds: { colour: 1 } }, ['thresholds']],
    [
      ['faster', { parameter: 'colour', value: 1 }],
      ['faster', 'colour'],
    ],
    ['text', []],
    [undefined, []],
  ])('names what it does not understand in %j', (config, unread) => {
    expect(readTuning(config)).toEqual({ tuning: {}, unread })
  })

  it('is laid over another: the later wins, maps and lists of documents join', () => {
    expect(
      layTunings([
        { fusion: 'rrf', fieldWeights: { title: 2, tags: 1 }, pins: [{ id: 'a' }] },
        { fusion: 'convex', fieldWeights: { title: 3 }, pins: [{ id: 'b' }] },
      ]),
    ).toEqual({
      fusion: 'convex',
      fieldWeights: { title: 3, tags: 1 },
      pins: [{ id: 'b' }, { id: 'a' }],
    })
  })
})
