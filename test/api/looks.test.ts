import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../running-app.ts'

interface Found {
  hits: { id: string; explain?: { clickMemory?: Record<string, number> } }[]
  searchContext: { queryId: string }
}

interface Health {
  models: { training: { metrics: { examination?: { inUse: number; samples: number } } } }
}

/** What they are found to look at differs from run to run: of 150 it was too little now and then. */
const PEOPLE = 500

it('a session that is found out to cheat has not said how people look', async () => {
  const service = await startApp({})
  onTestFinished(service.close)
  const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, document: { title: 'tea' } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
  const known = async () => {
    await service.app.learning.caughtUp()
    const { data } = await service.call<Health>('GET', '/nous/health')
    const { hits } = await service.must<Found>('POST', '/cortex/search', {
      ...{ query: 'tea', index: 'shop' },
    })
    return { hits, examination: data.models.training.metrics.examination }
  }
  const visit = async (clicksOn: (shown: string[]) => string[]) => {
    const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const search = { query: 'tea', index: 'shop', sessionId }
    const { hits, searchContext } = await service.must<Found>('POST', '/cortex/search', search)
    const clicked = clicksOn(hits.map(({ id }) => id))
    const feedback = clicked.map((resultId) => {
      const { queryId } = searchContext
      return { queryId, rating: 1, metadata: { userAction: 'click', resultId } }
    })
    // In two parts: at first it is as honest as any.
    for (const part of [feedback.slice(0, 5), feedback.slice(5)])
      if (part.length > 0)
        await service.must('POST', '/cortex/feedback', { sessionId, feedback: part })
  }
  await visit(() => ['c'])
  const before = await known()
  expect(before.examination?.samples).toBe(1)
  await visit((shown) => [...shown, ...Array<string>(60).fill('e')])
  expect(await known()).toEqual(before)
  await visit(() => ['c', 'a'])
  expect((await known()).examination?.samples).toBe(3)
})

it('people who look at whole pages are found out, and what they were shown counts in full', async () => {
  // Every order is drawn, and each is as likely as any other.
  const draws = { EXPLORATION_SHARE: '1', EXPLORATION_TEMPERATURE: '10', MEMORY_STRENGTH: '0.1' }
  const service = await startApp(draws)
  onTestFinished(service.close)
  const documents = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => {
    return { id, document: { title: 'tea', content: 'tea' } }
  })
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
  const search = { query: 'tea', index: 'shop' }
  const inUse = async () => {
    await service.app.learning.caughtUp()
    const { data } = await service.call<Health>('GET', '/nous/health')
    return data.models.training.metrics.examination?.inUse
  }
  expect(await inUse()).toBe(1)
  for (let person = 0; person < PEOPLE; person += 1) {
    const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const found = await service.must<Found>('POST', '/cortex/search', { ...search, sessionId })
    const { queryId } = found.searchContext
    // Wherever it stands.
    const metadata = { userAction: 'click', resultId: 'g' }
    const feedback = [{ queryId, rating: 1, metadata }]
    await service.must('POST', '/cortex/feedback', { sessionId, feedback })
  }
  const eta = (await inUse()) ?? 1
  expect(eta).toBeLessThan(0.6)
  const { data } = await service.call<Found>('POST', '/cortex/search', { ...search, explain: true })
  // With an η of 1 it would be .37 of the people on average.
  for (const { explain } of data.hits)
    expect(explain?.clickMemory?.examination).toBeGreaterThan(0.45 * PEOPLE)
})
