import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

async function totalOf(index: string, query: string): Promise<number> {
  const { total } = await service.must<{ total: number }>('POST', '/cortex/search', {
    index,
    query,
  })
  return total
}

it('in a small index of short texts, a hybrid search has no neighbours by chance', async () => {
  // Ideographs share no parts, so that what is near is near by chance.
  const documents = Array.from({ length: 200 }, (_, at) => {
    const title = String.fromCodePoint(0x4e00 + at)
    return { id: title, title }
  })
  await service.must('POST', '/cortex/documents/bulk', { index: 'signs', documents })
  let strangers = 0
  for (let at = 0; at < 100; at++)
    strangers += await totalOf('signs', String.fromCodePoint(0x6000 + at))
  expect(strangers).toBeLessThan(5)
})

it('in a small index of long texts, one that holds the word does not bring along all others', async () => {
  const words = Array.from({ length: 300 }, (_, at) => `word${at.toString(36)}`)
  const documents = Array.from({ length: 40 }, (_, number) => {
    // Each says nearly all of what the others say.
    const content = words.filter((_, at) => (at * 31 + number * 17) % 10 > 0).join(' ')
    return { id: `${number}`, content: number === 7 ? `${content} quokka` : content }
  })
  await service.must('POST', '/cortex/documents/bulk', { index: 'books', documents })
  expect(await totalOf('books', 'quokka')).toBe(1)
  expect(await totalOf('books', 'giraffe')).toBe(0)
})
