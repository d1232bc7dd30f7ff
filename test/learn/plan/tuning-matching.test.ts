import { describe, expect, it } from 'vitest'
import { readTuning } from '../../../src/learn/plan/tuning.ts'
import { matchingDifferences } from '../../../src/learn/plan/tuning-matching.ts'

describe('two rankings match the same documents', () => {
  it.each([
    { fieldWeights: { title: 0.01 } },
    { legWeights: { text: 1, vector: 0 } },
    { fusion: 'rrf' },
    { pins: ['a'] },
    { boosts: { a: 1 } },
    { model: 'm' },
    { learning: false },
  ])('that differ in %j', (config) => {
    expect(matchingDifferences({}, readTuning(config).tuning)).toEqual([])
  })

  it.each([
    ['fieldWeights', { fieldWeights: { title: 0 } }],
    ['operator', { operator: 'and' }],
    ['fuzziness', { fuzziness: 'auto' }],
    ['neighbors', { neighbors: 5 }],
    ['similarity', { similarity: 0.9 }],
    ['minScore', { minScore: 0 }],
    ['feedback', { feedback: false }],
    ['synonyms', { synonyms: ['car, auto'] }],
  ])('but for %s', (setting, config) => {
    const { tuning } = readTuning(config)
    expect(matchingDifferences({}, tuning)).toEqual([setting])
    expect(matchingDifferences(tuning, { ...tuning, fusion: 'rrf' })).toEqual([])
  })
})
