import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../running-app.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; model: string | null }
}
interface Read {
  versions: { usage: { searches: number } }[]
}

it('a list that a sort orders names no model, and counts for none', async () => {
  const service = await startApp({ EXPLORATION_SHARE: '0' })
  onTestFinished(() => service.close())
  const documents = [1, 2, 3].map((year) => {
    return { id: `d${year}`, document: { title: `stone${' wall'.repeat(year)}`, year } }
  })
  await service.must('POST', '/cortex/documents/bulk', { index: 'walls', documents })
  const state = { weights: [1], featureNames: ['documentLength'] }
  await service.must('POST', '/nous/learn/models/sync', { modelId: 'long', state, activate: true })
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const search = async (sort?: unknown) => {
    const asked = { query: 'stone', index: 'walls', sessionId, ...(sort ? { sort } : {}) }
    const found = await service.must<Found>('POST', '/cortex/search', asked)
    return [found.searchContext.model, found.hits[0]?.id]
  }
  expect(await search()).toEqual(['long@1', 'd3'])
  expect(await search('_score')).toEqual(['long@1', 'd3'])
  expect(await search(['_score', 'year'])).toEqual([null, 'd1'])
  expect(await search('year:desc')).toEqual([null, 'd3'])
  await service.app.learning.caughtUp()
  const { versions } = await service.must<Read>('GET', '/nous/learn/models/long')
  expect(versions[0]?.usage).toMatchObject({ searches: 2 })
})
