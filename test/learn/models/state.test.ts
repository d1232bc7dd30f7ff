import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/json/canonical.ts'
import { checksumOf, readState, stateOf, unfinished } from '../../../src/learn/models/state.ts'

const known = ['a', 'b', 'c']
const model = (state: Record<string, unknown>) => {
  const read = readState(state, known)
  expect(read.reasons).toEqual([])
  return JSON.parse(read.model!) as Record<string, unknown>
}

it('a state has the published checksum of its canonical JSON', () => {
  expect(checksumOf(canonicalJson({ b: 1, a: [2, { d: null, c: 'x' }] }))).toBe(
    // printf '{"a":[2,{"c":"x","d":null}],"b":1}' | sha256sum
    '41f05899d3459a3ecc94ff088afcd290b9ae4f51dc9ddaa35a82a642ddb55070',
  )
})

describe('a state is read', () => {
  it('with its numbers in the order of its names', () => {
    const state = { weights: [1, 2], bias: 3, scaler: { mean: [4, 5], std: [6, 0] } }
    expect(model({ ...state, featureNames: ['c', 'a'] })).toEqual({
      kind: 'linear',
      features: ['c', 'a'],
      weights: [1, 2],
      bias: 3,
      mean: [4, 5],
      std: [6, 1],
    })
  })

  it('from a list in a list, and from a map by name', () => {
    const expected = { weights: [1, 2], bias: 7 }
    const featureNames = ['a', 'b']
    expect(model({ weights: [[1, 2]], bias: [7], featureNames })).toMatchObject(expected)
    expect(model({ weights: { b: 2, a: 1 }, bias: 7, featureNames })).toMatchObject(expected)
  })

  it('without bias and scaler', () => {
    expect(model({ weights: [1], featureNames: ['b'], scaler: {} })).toEqual({
      kind: 'linear',
      features: ['b'],
      weights: [1],
      bias: 0,
    })
  })

  it('with names from the trees themselves', () => {
    const weights = { learner: { feature_names: ['b', 'a'] } }
    expect(model({ weights })).toEqual({ kind: 'trees', features: ['b', 'a'], xgboost: weights })
  })

  it('with names in the place of those that say nothing to the ranker', () => {
    const featureNames = ['b', 'a']
    for (const feature_names of [['f0', 'f1'], ['b', 'a'], [], undefined]) {
      const weights = { learner: { feature_names } }
      expect(model({ weights, featureNames })).toMatchObject({ features: featureNames })
    }
  })

  it.each([
    ['reg:squarederror', 4e29, true],
    ['reg:squarederror', -6e29, false],
    ['rank:ndcg', 50, true],
    ['count:poisson', 39, true],
    ['count:poisson', 41, false],
  ])(
    'with trees of %s only if no sum of leaves, such as twice %d, leaves the range of a score',
    (name, leaf, fits) => {
      const tree = { left_children: [1, -1, -1], split_conditions: [1e35, 0, leaf] }
      const gradient_booster = { model: { trees: [tree, tree] } }
      const weights = { learner: { gradient_booster, objective: { name } } }
      const reasons = fits ? [] : ['Its trees add up to numbers that are too large.']
      expect(readState({ weights, featureNames: ['a'] }, known)).toMatchObject({
        ...{ servable: fits, reasons },
      })
    },
  )

  it('from means and deviations by name, those of other features left out', () => {
    const scaler = { mean: { a: 1, z: 9 }, std: { z: 9, a: 2 } }
    expect(model({ weights: { a: 5 }, featureNames: ['a'], scaler })).toMatchObject({
      ...{ weights: [5], mean: [1], std: [2] },
    })
  })

  it.each([
    [{ weights: [1, 2], featureNames: ['a'] }, 'weights has 2 numbers'],
    [{ weights: [1], featureNames: [] }, 'featureNames is not a list of names'],
    [{ weights: [1, 2], featureNames: ['a', 'a'] }, 'featureNames names a feature twice'],
    [{ weights: [1], featureNames: ['z'] }, 'are named at featureNames[0]; it computes a, b, c.'],
    [{ weights: [null], featureNames: ['a'] }, 'weights holds something that is not a number'],
    [{ weights: [1], featureNames: ['a'], bias: {} }, 'bias is not a finite number'],
    [{ weights: [1], featureNames: ['a'], scaler: { std: [-1] } }, 'scaler.std holds a number'],
    [{ featureNames: ['a'] }, 'weights is missing'],
    [{}, 'featureNames is missing'],
    [
      { weights: { a: 1, b: 2, c: 3 }, featureNames: ['a', 'b'] },
      'weights has 3 numbers, but there are 2 featureNames.',
    ],
    [
      { weights: { learner: { feature_names: ['a', 'b', 'c'] } }, featureNames: ['b', 'a', 'c'] },
      "trees' own feature_names at featureNames[0], featureNames[1]: send",
    ],
  ])('and refused: %j', (state, reason) => {
    const read = readState(state, known)
    expect(read).toMatchObject({ servable: false })
    expect(read.model).toBeUndefined()
    expect(read.reasons.join(' ')).toContain(reason)
  })

  it('and refused with each reason there is', () => {
    const scaler = { mean: [1, 2], std: 'x' }
    const state = { weights: [], featureNames: ['a'], bias: true, scaler }
    expect(readState(state, known).reasons).toHaveLength(4)
  })

  it('back from a model of the core', () => {
    const linear = { features: ['a'], weights: [1], bias: 2, mean: [3], std: [4] }
    const core = { kind: 'linear', ...linear }
    expect(model(stateOf(core))).toEqual(core)
    const trees = { kind: 'trees', features: ['a'], xgboost: { learner: {} } }
    expect(model(stateOf(trees))).toEqual(trees)
  })
})

it('what is unfinished says so', () => {
  expect(unfinished({ lastTrainingError: '', trainingProgress: 1 })).toEqual([])
  expect(unfinished({})).toEqual([])
  expect(unfinished({ lastTrainingError: 'x', trainingProgress: 0.99 })).toHaveLength(2)
})
