import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

/** Different words of a document that make its vector, and that are completed and corrected. */
const COMPLETED_MAX = 65_536

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

it('all words of a document are found, however many they are; the first ones are completed', async () => {
  const index = 'dump'
  const title = Array.from({ length: COMPLETED_MAX + 100 }, (_, at) => `word${at}x`).join(' ')
  await service.must('POST', '/cortex/documents', { index, id: 'all', document: { title } })
  const found = async (query: string, more: object = {}) => {
    const body = { index, searchType: 'text', query, ...more }
    return (await service.must<{ total: number }>('POST', '/cortex/search', body)).total
  }
  const completions = async (prefix: string) => {
    const body = { index, prefix }
    return (
      await service.must<{ completions: { text: string }[] }>('POST', '/cortex/suggest', body)
    ).completions.map(({ text }) => text)
  }
  const [first, last] = ['word0x', `word${COMPLETED_MAX + 99}x`]
  expect([await found(first), await found(last)]).toEqual([1, 1])
  expect(await found(`"word${COMPLETED_MAX + 98}x ${last}"`)).toBe(1)
  expect(await completions('word0')).toEqual([first])
  expect(await completions(`word${COMPLETED_MAX - 1}`)).toEqual([`word${COMPLETED_MAX - 1}x`])
  expect(await completions(`word${COMPLETED_MAX}`)).toEqual([])
})
