import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashQuery } from '../../../src/search/query/query-hash.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

const hashOf = (query: string) => hashQuery(query, undefined)

describe('the hash of a query', () => {
  it('stays what it was for queries without signs around them', () => {
    expect(hashOf('')).toBe('da39a3ee5e6b4b0d')
    expect(hashOf(' How do  I reset my password ')).toBe(hashOf('how do i reset my password'))
    expect(hashOf('abc')).toBe('a9993e364706816a')
  })

  it.each([
    ['how do I reset my password', 'How do I reset my password?'],
    ['reset', 'reset ...'],
    ['reset', 'reset…'],
    ['reset', 'reset ?!'],
    ['dónde está', '¿Dónde está?'],
    ['ayuda', '¡ayuda!'],
    ['パスワード', 'パスワード。'],
    ['密码', '密码？'],
    ['كلمة السر', 'كلمة السر؟'],
    ['πού είναι', 'πού είναι\u037e'],
    ['पासवर्ड', 'पासवर्ड।'],
    ['c++', 'C++?'],
    ['node.js', 'node.js.'],
    ['.net', '.NET,'],
  ])('is the same for %j and %j', (plain, signed) => {
    expect(hashOf(signed)).toBe(hashOf(plain))
  })

  it.each([
    ['c', 'c++'],
    ['c', 'c#'],
    ['net', '.net'],
    ['node.js', 'node js'],
    ['"reset"', '"reset"?'],
    ['reset', '"reset"'],
    ['res', 'res*'],
    ['?', '!'],
    ['a', 'a‼'],
    ['reset', 'reset 🙂'],
    ['1.5', '15'],
  ])('tells %j from %j', (one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other))
  })
})

describe('what the core finds', () => {
  let service: RunningApp
  beforeAll(async () => {
    service = await startApp({ LEARNING: 'false' })
    const texts = [
      'How do I reset my password? Send the form.',
      'Passwords expire. Reset them in the settings: it takes a minute!',
      'The U.S.A. office opens at 9 a.m.; etc.',
      'C++ and C# and C, with node.js and .NET on Wi-Fi',
      'Version 2.10.3 of it, v2.10, costs 1.5 or 15',
      '¿Dónde está la contraseña? ¡Ayuda!',
      'パスワードを忘れた。密码？ 東京',
      'أين كلمة السر؟ πού είναι ο κωδικός; पासवर्ड।',
      'It is what it is',
      'passing words of passwords: resets',
    ]
    const documents = texts.map((content, at) => ({ id: `${at}`, document: { content } }))
    await service.call('POST', '/cortex/documents/bulk', { index: 'signs', documents })
  })
  afterAll(() => service.close())

  const QUERIES = [
    ...['how do I reset my password', 'reset', 'passwrd', 'it', 'what is it', 'C++', 'C#', 'C'],
    ...['node.js', '.NET', 'U.S.A', 'U.S.A.', 'etc', '9 a.m', '2.10', 'v2.10', '1.5', '15', 'wifi'],
    ...[
      'dónde está',
      'ayuda',
      'パスワード',
      '密码',
      '東京',
      'كلمة السر',
      'πού είναι',
      'पासवर्ड',
      'pass',
    ],
  ]
  const AROUND = [
    '?',
    '!',
    '.',
    ',',
    ';',
    ':',
    '...',
    '…',
    ' ?',
    '?!',
    '。',
    '、',
    '？',
    '！',
    '，',
    '：',
    '；',
  ]
  const MORE_SIGNS = ['．', '؟', '،', '؛', '۔', '।', '॥', '\u037e', '·', '\u0387']

  it.each(['text', 'vector', 'hybrid'])(
    'is the same with and without such signs: %s',
    async (searchType) => {
      const found = async (query: string, more: object) => {
        const { data } = await service.call<{
          hits: { id: string; score: number }[]
          total: number
        }>(...(['POST', '/cortex/search', { query, index: 'signs', searchType, ...more }] as const))
        return { total: data.total, hits: data.hits.map(({ id, score }) => [id, score]) }
      }
      const ways = [
        {},
        { prefix: true },
        { operator: 'and' },
        { fuzziness: 'auto' },
        { phrase: true },
      ]
      for (const more of searchType === 'vector' ? [{}] : ways)
        for (const query of QUERIES) {
          const plain = await found(query, more)
          const signed = [...AROUND, ...MORE_SIGNS].map((sign) => `${query}${sign}`)
          for (const other of [...signed, `¿${query}?`, `¡${query}!`]) {
            expect.soft(hashOf(other), other).toBe(hashOf(query))
            expect.soft(await found(other, more), `${other} ${JSON.stringify(more)}`).toEqual(plain)
          }
        }
    },
    120_000,
  )
})
