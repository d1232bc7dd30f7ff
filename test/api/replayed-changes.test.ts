import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../running-app.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string }
}
interface Applied {
  adaptationId: string
}
interface Read {
  validation: { samples: number; estimates: object }
}

it.each([
  ['fields', ['year:desc', '_score'], { ctrChange: 0, mrrChange: 0, clickPosition: 2 }],
  ['their scores, then fields', ['_score', 'year'], { clickPosition: 1 }],
])('a change is replayed on lists by %s as it would change them', async (_, sort, estimates) => {
  const service = await startApp({ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0' })
  onTestFinished(() => service.close())
  const titles = ['Espresso', 'Espresso at home', 'Espresso and milk']
  const documents = titles.map((title, at) => ({ id: `d${at}`, document: { title, year: at } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const search = { query: 'espresso', index: 'coffee', sessionId, sort }
  const { hits, searchContext } = await service.must<Found>('POST', '/cortex/search', search)
  const second = hits[1]?.id ?? ''
  const metadata = { userAction: 'click', resultId: second }
  await service.must('POST', '/cortex/feedback', {
    ...{ sessionId, feedback: [{ queryId: searchContext.queryId, rating: 1, metadata }] },
  })
  const change = { type: 'ranking', changes: { boosts: { [second]: 10 } } }
  const { adaptationId } = await service.must<Applied>('POST', '/nous/adapt/apply', change)
  const { validation } = await service.must<Read>('GET', `/nous/adaptations/${adaptationId}`)
  expect(validation).toMatchObject({ samples: 1, estimates })
})
