import { describe, expect, it } from 'vitest'
import { deriveChanges } from '../../../src/learn/adaptations/derive.ts'
import type { QueryEvidence } from '../../../src/learn/patterns/evidence.ts'
import { processorMs } from '../../processor-time.ts'

const clicked: QueryEvidence = {
  queryHash: 'h',
  query: 'beans',
  searches: 40,
  known: 40,
  clicked: 2,
  clickedOfNobody: 0,
  placed: 10,
  zeroResults: 0,
  clickPosition: 6,
  documents: [
    { id: 'best', index: 'shop', clicks: 8, position: 6 },
    { id: 'gone', clicks: 3, position: 7 },
    { id: 'next', index: 'shop', clicks: 2, position: 7 },
  ],
}

describe('a rule from patterns', () => {
  it.each([
    [{ averageRelevance: 0.2 }, { legWeights: { text: 0.6, vector: 0.4 } }],
    [{ clickThroughRate: 0.01 }, { legWeights: { text: 0.85, vector: 0.15 } }],
    [
      { averageRelevance: 0.9, requiresOptimization: true },
      { legWeights: { text: 0.85, vector: 0.15 } },
    ],
    [{ averageRelevance: 0.9, clickThroughRate: 0.6, conversionRate: 0.1 }, { learning: true }],
    [{ positivePatterns: ['title_match'] }, { fieldWeights: { title: 1.5 } }],
    [
      { negativePatterns: ['field:notes', 'tagMatch'] },
      { fieldWeights: { notes: 0.5, tags: 0.5 } },
    ],
    [{ positivePatterns: ['document:d-1'] }, { boosts: [{ id: 'd-1', value: 0.2 }] }],
    [{ negativePatterns: ['doc:d-1'] }, { boosts: [{ id: 'd-1', value: -0.2 }] }],
    [{ positivePatterns: ['tv => television'] }, { synonyms: [['tv => television']] }],
    [{ positivePatterns: ['car = automobile'] }, { synonyms: [['car', 'automobile']] }],
    [{ positivePatterns: ['synonym:mp3 => audio'] }, { synonyms: [['mp3 => audio']] }],
    [
      { positivePatterns: ['shoe => shoes', 'the = of', '12 => 13', 'car => car'] },
      { learning: true },
    ],
    [{ positivePatterns: ['price = 10', 'score >= 5 stars', 'a != b'] }, { learning: true }],
    [{ positivePatterns: ['title=shoes'] }, { fieldWeights: { title: 1.5 } }],
    [{ positivePatterns: ['semantic_match'] }, { legWeights: { text: 0.6, vector: 0.4 } }],
    [{ negativePatterns: ['semantic_match'] }, { legWeights: { text: 0.85, vector: 0.15 } }],
    [{ positivePatterns: ['exact_match'] }, { legWeights: { text: 0.85, vector: 0.15 } }],
    [{ positivePatterns: ['high_dwell_time'] }, { learning: true }],
    [
      { clickThroughRate: 0.5, positivePatterns: ['title_match'] },
      { fieldWeights: { title: 1.5 } },
    ],
  ])('turns %j into %j', (patterns, changes) => {
    expect(deriveChanges(patterns, undefined).changes).toEqual(changes)
  })

  it('lifts the documents that searchers of the query opened, each in its index, while that is there', () => {
    const boosts = [
      { id: 'best', index: 'shop', value: 0.2 },
      { id: 'next', index: 'shop', value: 0.05 },
    ]
    expect(deriveChanges({ averageRelevance: 0.1 }, clicked).changes).toEqual({ boosts })
    expect(deriveChanges({ clickThroughRate: 0.9 }, clicked).changes).toEqual({ boosts })
    expect(deriveChanges({ negativePatterns: ['next'] }, clicked).changes).toEqual({
      boosts: [{ id: 'next', index: 'shop', value: -0.2 }],
    })
    const twice = [...clicked.documents, { id: 'next', index: 'other', clicks: 1, position: 1 }]
    const positive = { positivePatterns: ['next', 'id:next'] }
    expect(deriveChanges(positive, { ...clicked, documents: twice }).changes).toEqual({
      boosts: [
        { id: 'next', index: 'shop', value: 0.2 },
        { id: 'next', index: 'other', value: 0.2 },
        { id: 'next', value: 0.2 },
      ],
    })
  })

  it.each([
    { requiresOptimization: true },
    { confidence: 0.9 },
    { neutralPatterns: ['title_match'] },
    { positivePatterns: [] },
  ])('can not be made of %j alone', (patterns) => {
    expect(deriveChanges(patterns, undefined).changes).toBeUndefined()
  })

  it('judges by the searches of the query when no figures were sent', () => {
    expect(deriveChanges({ requiresOptimization: true }, clicked).changes).toHaveProperty('boosts')
    const few = { ...clicked, known: 9, documents: [] }
    expect(deriveChanges({ requiresOptimization: true }, few).changes).toBeUndefined()
  })

  it('takes no click of nobody for one among the searches that can be clicked', () => {
    const changesFor = (clickedOfNobody: number) =>
      deriveChanges(
        { conversionRate: 0.1 },
        { ...clicked, clicked: 6, clickedOfNobody, documents: [] },
      ).changes
    expect(changesFor(2)).toEqual({ learning: true })
    expect(changesFor(3)).toEqual({ legWeights: { text: 0.85, vector: 0.15 } })
  })

  it('looks at a long text once, and not at each of its blanks anew', () => {
    const blanks = ' '.repeat(200_000)
    const changesOf = (text: string) =>
      deriveChanges({ positivePatterns: [text] }, undefined).changes
    const tookMs = processorMs(() => {
      for (const text of [`car${blanks}!`, `car=${blanks}!`, `car${blanks}auto`])
        expect(changesOf(text)).toEqual({ learning: true })
      expect(changesOf(`synonym: car${blanks}=>${blanks}auto `)).toEqual({
        synonyms: [['car => auto']],
      })
    }, 2)
    expect(tookMs).toBeLessThan(1000)
  })

  it('takes thousands of fields in their order, and the last word on each', () => {
    const many = Array.from({ length: 1000 }, (_, at) => `field:f${at}`)
    const { changes } = deriveChanges(
      { positivePatterns: many, negativePatterns: ['field:f7', 'field:__proto__'] },
      undefined,
    )
    const weights = (changes as { fieldWeights: Record<string, number> }).fieldWeights
    expect(Object.keys(weights)).toEqual([...many.map((name) => name.slice(6)), '__proto__'])
    expect([weights.f6, weights.f7]).toEqual([1.5, 0.5])
  })

  it('reads no pair of words that is longer than a query may be', () => {
    const long = `${'a '.repeat(3000)}=> b`
    const { changes } = deriveChanges({ positivePatterns: [long, 'tv => television'] }, undefined)
    expect(changes).toEqual({ synonyms: [['tv => television']] })
  })

  it('says what names nothing', () => {
    const { description } = deriveChanges({ positivePatterns: ['title_match', 'wow'] }, undefined)
    expect(description).toContain('Names nothing: wow.')
    const long = 'wow'.repeat(100_000)
    const told = deriveChanges({ positivePatterns: [long, 'title_match'] }, undefined).description
    expect(told).toMatch(/Names nothing: (wow)+w?o?\.$/)
    expect(told.length).toBeLessThan(400)
  })
})
