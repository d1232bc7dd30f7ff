import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../running-app.ts'
import { waitUntil } from '../../../wait-until.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp({ SESSION_IDLE_MS: '2000' })
  await service.must('POST', '/cortex/documents', { index: 'papers', document: { title: 'tea' } })
})
afterAll(() => service.close())

const warningsOf = async (body: object) => {
  const sent = { index: 'papers', query: 'tea', ...body }
  const { searchContext } = await service.must<{ searchContext: { warnings?: string[] } }>(
    'POST',
    '/cortex/search',
    sent,
  )
  return searchContext.warnings
}
const UNKNOWN = [expect.stringMatching(/^sessionId: there is no such session, or it is over/)]

it('a search of a session that is not known is told so', async () => {
  expect(await warningsOf({ sessionId: 's-1' })).toEqual(UNKNOWN)
  const { data } = await service.call<{ searchContext: object }>(
    'GET',
    '/cortex/search?q=tea&sessionId=01900000-0000-7000-8000-000000000001',
  )
  expect(data.searchContext).toMatchObject({ warnings: UNKNOWN })
  expect(await warningsOf({})).toBeUndefined()
})

it('a session that is over is told like one that never was', async () => {
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  expect(await warningsOf({ sessionId })).toBeUndefined()
  const isOver = async () => {
    const { status } = await service.must<{ status: string }>(
      'GET',
      `/cortex/sessions/${sessionId}`,
    )
    return status === 'EXPIRED'
  }
  await waitUntil(isOver, 50_000)
  expect(await warningsOf({ sessionId })).toEqual(UNKNOWN)
  // Its totals end with it.
  const totals = await service.must('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(totals).toMatchObject({ searches: 1 })
})
