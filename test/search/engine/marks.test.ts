import { expect, it, onTestFinished } from 'vitest'
import { addMark, marksOf, settleMark } from '../../../src/search/engine/marks.ts'
import { startApp } from '../../running-app.ts'
import { temporaryStore } from '../../store/open.ts'

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

it('files that were not written keep their mark, and those that were have the new one alone', async () => {
  const store = temporaryStore()
  const { meta } = store.tables
  for (const mark of ['a', 'b']) await addMark(store, 1, mark)
  await settleMark(store, 1, { mark: 'b', isWritten: false })
  expect(marksOf(meta, 1)).toEqual(['', 'a'])
  await addMark(store, 1, 'c')
  await settleMark(store, 1, { mark: 'c', isWritten: true })
  expect(marksOf(meta, 1)).toEqual(['c'])
})
