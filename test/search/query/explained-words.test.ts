import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Part {
  score: number
  terms: Record<string, { score: number }>
  whole?: { score: number }
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const documents = [
    { title: 'list files of a file system', content: 'creates a filesystem, or a file' },
    { title: 'file lists', content: 'creating files and systems' },
  ].map((document) => ({ document }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'manual', documents })
})
afterAll(() => service.close())

it.each([
  [
    'a word beside another, which they are together with, too',
    'file in a file system',
    {},
    'file (2)',
  ],
  ['a word that begins others at the end', 'file list file', { prefix: true }, 'file (2)'],
  ['a phrase beside its words', '"file system" file system', {}, 'file system (2)'],
])('what words score adds up, of %s', async (_, query, more, secondTime) => {
  const search = { index: 'manual', searchType: 'text', query, explain: true, ...more }
  const { hits } = await service.must<{
    hits: { explain: { text: { combined: Part; fields: Record<string, Part> } } }[]
  }>('POST', '/cortex/search', search)
  expect(hits).toHaveLength(2)
  const { combined, fields } = hits[0]?.explain.text ?? { combined: undefined, fields: {} }
  expect(Object.keys(combined?.terms ?? {})).toContain(secondTime)
  for (const part of [combined, ...Object.values(fields)]) {
    const terms = Object.values(part?.terms ?? {}).reduce((sum, term) => sum + term.score, 0)
    expect(part?.score).toBeCloseTo(terms + (part?.whole?.score ?? 0), 4)
  }
})
