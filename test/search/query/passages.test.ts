import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

it('a text that goes on without spaces is cut between its marks, not within one', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  const content = 'https://example.com/worker/threads?worker=threads&'.repeat(20)
  await service.must('PUT', '/cortex/documents/a?index=links', { content })
  for (const fragmentSize of [20, 33, 50, 77, 150]) {
    const highlight = { fragmentSize, fragments: 100, pre: '[', post: ']' }
    const search = { index: 'links', query: 'worker threads', highlight }
    const { hits } = await service.must<{ hits: { highlight: { content: string[] } }[] }>(
      ...(['POST', '/cortex/search', search] as const),
    )
    const passages = hits[0]?.highlight.content ?? []
    const marks = passages.join(' ').match(/\[(worker|threads)\]/g) ?? []
    expect(marks.length, `${fragmentSize}`).toBe(80)
  }
})

it('a quoted phrase is marked where it stands, not its words elsewhere', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  const far = 'A worker does not know its threads. '.repeat(20)
  const content = `${far}Worker threads share memory. ${far}`
  await service.must('PUT', '/cortex/documents/a?index=phrases', { content })
  const marks = async (query: string, more: object = {}) => {
    const highlight = { fragments: 100, pre: '[', post: ']' }
    const search = { index: 'phrases', query, searchType: 'text', highlight, ...more }
    const { hits } = await service.must<{ hits: { highlight: { content: string[] } }[] }>(
      ...(['POST', '/cortex/search', search] as const),
    )
    return hits[0]?.highlight.content.join(' ').match(/\[.*?\]/g) ?? []
  }
  expect(await marks('"worker threads"')).toEqual(['[Worker]', '[threads]'])
  expect(await marks('"worker threads share"')).toEqual(['[Worker]', '[threads]', '[share]'])
  expect(await marks('"worker thr"', { prefix: true, phrase: true })).toHaveLength(2)
  // A word by itself is marked everywhere, those of a row that may be moved only where it stands.
  expect(await marks('"worker threads" memory threads')).toHaveLength(43)
  expect(await marks('"worker memory"', { slop: 3 })).toEqual(['[Worker]', '[memory]'])
})

it('characters that are words of their own are one mark where they stand together', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  const content = '東京の大学は、東と京にもある。図書館'
  await service.must('PUT', '/cortex/documents/a?index=kanji', { content })
  const search = { index: 'kanji', query: '東京 図書館', searchType: 'text', highlight: true }
  const { hits } = await service.must<{ hits: { highlight: { content: string[] } }[] }>(
    ...(['POST', '/cortex/search', search] as const),
  )
  expect(hits[0]?.highlight.content).toEqual([
    '<em>東京</em>の大学は、<em>東</em>と<em>京</em>にもある。<em>図書館</em>',
  ])
})
