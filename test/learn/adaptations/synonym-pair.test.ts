import { describe, expect, it } from 'vitest'
import { isSynonymRule, synonymPair } from '../../../src/learn/adaptations/synonym-pair.ts'

describe('the words in which two queries differ', () => {
  it.each([
    ['cheap telly', 'cheap television', 'telly => television'],
    ['telly', 'television', 'telly => television'],
    ['how do I fix the telly', 'fix a television', 'telly => television'],
    ['color printer', 'colour printer', 'color => colour'],
    ['ps5 games', 'playstation 5 games', 'ps5 => playstation 5'],
    ['CV template', 'resume templates', 'cv => resume'],
    ['Handy kaufen', 'Mobiltelefon kaufen', 'handy => mobiltelefon'],
    ['cell phone case', 'mobile case', 'cell phone => mobile'],
  ])('%j, %j: %s', (from, to, rule) => {
    const { left, right } = synonymPair(from, to)!
    expect(`${left} => ${right}`).toBe(rule)
  })

  it.each([
    ['another number', 'iphone 12', 'iphone 13'],
    ['another year', 'tax form 2023', 'tax forms for 2024'],
    ['an id', 'sku 48213', 'desk lamp'],
    ['an id and its number', 'a1b2c3', 'invoice'],
    ['two forms of a word', 'running shoes', 'run shoe'],
    ['one and many', 'city box', 'cities boxes'],
    ['stop words', 'shoes for men', 'shoes of men'],
    ['a question', 'how to reset password', 'where is password reset'],
    ['more words', 'shoes', 'red shoes'],
    ['fewer words', 'cheap red shoes', 'red shoes'],
    ['the same words in another order', 'password reset', 'reset password'],
    ['what is not meant', 'shoes without laces', 'slippers'],
    ['an address', 'bob@example.com', 'bob contact'],
    ['a path', 'docs/install', 'setup guide'],
    ['sentences', 'water drips from kitchen tap overnight', 'plumber'],
    ['nothing', '', 'shoes'],
    ['the same of other filters', 'shoes', 'shoes'],
  ])('are no synonyms where they are %s', (_, from, to) => {
    expect(synonymPair(from, to)).toBeUndefined()
  })

  it('say whether the queries have a word in common that says something', () => {
    expect(synonymPair('cheap telly', 'cheap television')?.isShared).toBe(true)
    expect(synonymPair('the telly', 'the television')?.isShared).toBe(false)
    expect(synonymPair('telly 5', 'television 5')?.isShared).toBe(false)
  })
})

describe('a rule that somebody names', () => {
  it.each([
    ['tv', 'television'],
    ['tv, telly', 'television'],
    ['mp3', 'audio'],
    ['C++', 'cpp'],
  ])('%j for %j says something', (left, right) => {
    expect(isSynonymRule(left, right)).toBe(true)
  })

  it.each([
    ['12', '13'],
    ['the', 'of'],
    ['shoe', 'shoes'],
    ['Car', 'car'],
    ['price', '10'],
    ['', 'car'],
  ])('%j for %j says nothing', (left, right) => {
    expect(isSynonymRule(left, right)).toBe(false)
  })
})
