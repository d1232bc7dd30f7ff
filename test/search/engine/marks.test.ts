import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

it('files that are asked for twice at a time keep the mark by which they are known', async () => {
  const service = await startApp({ CHECKPOINT_MS: '3600000' })
  onTestFinished(() => service.close())
  const { engine, store } = service.app
  for (const title of ['Willow', 'Alder', 'Birch']) {
    await service.must('PUT', '/cortex/documents/a?index=trees', { title })
    await Promise.all([engine.checkpoint(), engine.checkpoint()])
    const marks = [...store.tables.meta.range()].filter(({ key }) => key.startsWith('files/'))
    expect(marks.map(({ value }) => (value as string[]).length)).toEqual([1])
  }
})
