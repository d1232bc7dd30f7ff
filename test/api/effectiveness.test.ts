import { expect, it } from 'vitest'
import { startApp } from '../running-app.ts'

interface Health {
  learning: { effectiveness: object }
}

/** What health says when a hundred people chose what stands last without learning. */
async function effectivenessWith(strength: string): Promise<object> {
  const service = await startApp({ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: strength })
  try {
    const documents = ['one', 'two', 'three'].map((id, more) => ({
      ...{ id, document: { title: 'espresso', content: `espresso ${'and more '.repeat(more)}` } },
    }))
    await service.call('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
    for (let person = 0; person < 110; person += 1) {
      const { data } = await service.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
      const { sessionId } = data
      const query = { query: 'espresso', searchType: 'text', sessionId }
      const found = await service.call<{ searchContext: { queryId: string } }>(
        ...(['POST', '/cortex/search', query] as const),
      )
      const { queryId } = found.data.searchContext
      const metadata = { userAction: 'click', resultId: 'three' }
      const feedback = [{ queryId, rating: 1, metadata }]
      await service.call('POST', '/cortex/feedback', { sessionId, feedback })
      if (person < 5) await service.app.learning.caughtUp()
    }
    await service.app.learning.caughtUp()
    const health = await service.call<Health>('GET', '/nous/health')
    return health.data.learning.effectiveness
  } finally {
    await service.close()
  }
}

it('learning that brings what people choose to the top is called good', async () => {
  const said = await effectivenessWith('1.6')
  // Where it stood without, a third of the people looks.
  expect(said).toMatchObject({ status: 'GOOD', score: expect.closeTo(0.75, 1) })
})

it('learning that moves nothing is not called good, whatever is clicked', async () => {
  expect(await effectivenessWith('0.000001')).toEqual({
    score: null,
    status: 'INSUFFICIENT_DATA',
    samples: 0,
  })
})
