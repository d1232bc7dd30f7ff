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
