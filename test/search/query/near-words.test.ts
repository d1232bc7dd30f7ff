import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
  const cut = (most: number) => ({ type: 'ngram', min_gram: 2, max_gram: most })
  await running.must('POST', '/cortex/indices', {
    name: 'pieces',
    settings: {
      analysis: {
        tokenizer: { long: cut(21), short: cut(20) },
        analyzer: { long: { tokenizer: 'long' }, short: { tokenizer: 'short' } },
      },
    },
    mappings: {
      properties: {
        code: {
          type: 'text',
          analyzer: 'long',
          fields: { short: { type: 'text', analyzer: 'short', searched: true } },
        },
      },
    },
  })
  await running.must('POST', '/cortex/indices/pieces/documents', {
    id: 'one',
    document: { title: 'words', code: 'qwertzuiopasdfghjkl' },
  })
})
afterAll(() => running.close())

const LETTERS = 'qwertzuiopasdfghjklyxcvbnm'.repeat(157).slice(0, 4000)
const ask = (query: string, more: object) =>
  running.call('POST', '/cortex/search', { query, index: 'pieces', searchType: 'text', ...more })

it('tells whoever asks for all pieces of a long query in two cuts what to do', async () => {
  const { status, code, error } = await ask(LETTERS, {})
  expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
  expect(error).toMatch(/500000 ways.*searchFields/)
  const { data } = await ask(LETTERS, { searchFields: ['code'] })
  expect(data).toMatchObject({ total: 1 })
})

it('tells whoever asks for what is near all pieces of a long query what to do', async () => {
  const random = Array.from({ length: 3000 }, (_, at) => LETTERS[((at * at + at * 7) % 1009) % 26])
  const { status, code, error } = await ask(random.join(''), {
    searchFields: ['code'],
    fuzziness: 2,
  })
  expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
  expect(error).toMatch(/2048 different words.*fuzziness 0/)
})

it('finds words with a mistake among very many others as among few', async () => {
  const others = Array.from({ length: 400 }, (_, at) => `x${at}`).join(' ')
  const few = await ask('wrods', { fuzziness: 1 })
  const many = await ask(`${others} wrods`, { fuzziness: 1 })
  expect([few.data.total, many.data.total]).toEqual([1, 1])
})
