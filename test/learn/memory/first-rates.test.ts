import { expect, it, onTestFinished } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

interface Found {
  hits: { id: string; explain?: { model: number } }[]
  total: number
  nextCursor?: string
  searchContext: { queryId: string }
}

const DOCUMENTS = 12

async function fill(service: RunningApp, index: string): Promise<void> {
  const row = (_: unknown, n: number) => ({ id: `d${n}`, document: { title: 'otter' } })
  const documents = Array.from({ length: DOCUMENTS }, row)
  await service.must('POST', '/cortex/documents/bulk', { index, documents })
}

/** Clicks the first hit of an index, and waits until the model sees that. */
async function teach(service: RunningApp, index: string): Promise<void> {
  const find = (body: object) => service.must<Found>('POST', '/cortex/search', { index, ...body })
  const { sessionId } = await service.must('POST', '/cortex/sessions', {})
  const { hits, searchContext } = await find({ query: 'otter', sessionId })
  const { queryId } = searchContext
  const metadata = { userAction: 'click', resultId: hits[0]?.id, customMetadata: { position: 1 } }
  await service.must('POST', '/cortex/feedback', {
    sessionId,
    feedback: [{ queryId, rating: 1, metadata }],
  })
  const isSeen = async () => {
    const other = await find({ query: 'otter otter', explain: true })
    return new Set(other.hits.map(({ explain }) => explain?.model)).size > 1
  }
  await waitUntil(isSeen, 20_000)
}

it('the first click rates of an index move no hit of a list from one page to another', async () => {
  const service = await startApp({ CLICK_RATES_MS: '1000', EXPLORATION_SHARE: '0' })
  onTestFinished(() => service.close())
  await service.must('POST', '/nous/learn/models/sync', {
    modelId: 'm',
    state: { weights: [-9], bias: 0, featureNames: ['clickRate'] },
    activate: true,
  })
  await fill(service, 'old')
  await teach(service, 'old')
  await fill(service, 'new')
  const ask = { index: 'new', query: 'otter', size: 4 }
  const first = await service.must<Found>('POST', '/cortex/search', ask)
  const shown = first.hits.map(({ id }) => id)
  await teach(service, 'new')
  let cursor = first.nextCursor
  while (cursor !== undefined) {
    const page: Found = await service.must('POST', '/cortex/search', { ...ask, cursor })
    shown.push(...page.hits.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(shown).toEqual(Array.from({ length: DOCUMENTS }, (_, n) => `d${n}`))
})
