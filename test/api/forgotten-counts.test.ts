import { expect, it, onTestFinished } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

const VARIANTS = [{ id: 'a' }, { id: 'b', config: { fieldWeights: { title: 2 } } }]

/** Two tests, one of which deals both rankings into one list; all take part in both. */
async function openTests({ must }: RunningApp): Promise<string[]> {
  const documents = ['fox', 'red fox', 'fox hunt', 'fox den'].map((title, at) => ({
    ...{ id: `d${at}`, document: { title, content: 'fox '.repeat(at + 1) } },
  }))
  await must('POST', '/cortex/documents/bulk', { index: 'w', documents })
  const ids: string[] = []
  for (const mode of ['split', 'interleaving']) {
    const body = { name: mode, mode, variants: VARIANTS, successMetrics: ['ctr'] }
    ids.push((await must<{ testId: string }>('POST', '/cortex/ab-test/create', body)).testId)
  }
  return ids
}

/** A session that searches, clicks, buys, looks at a second page and finds nothing. */
async function live({ must }: RunningApp, userId: string): Promise<string> {
  const { sessionId } = await must<{ sessionId: string }>('POST', '/cortex/sessions', { userId })
  for (const more of [{}, {}, { from: 1 }, { query: 'zebra', searchType: 'text' }]) {
    const { hits, searchContext } = await must<{
      hits: { id: string }[]
      searchContext: { queryId: string }
    }>('POST', '/cortex/search', { query: 'fox', index: 'w', sessionId, ...more })
    const { queryId } = searchContext
    const chosen = hits.slice(0, 2).map(({ id: resultId }, at) => ({
      ...{ queryId, rating: 0.5 + at / 4 },
      metadata: { resultId, userAction: ['click', 'purchase'][at] },
    }))
    if (chosen.length > 0) await must('POST', '/cortex/feedback', { sessionId, feedback: chosen })
  }
  return sessionId
}

/** What tests say, without what changes as time passes, and what sums of fractions lose at their end. */
async function counted({ app, must }: RunningApp, ids: readonly string[]): Promise<unknown> {
  await app.learning.caughtUp()
  const said = await Promise.all(
    ids.map((id) => must<Record<string, unknown>>('GET', `/cortex/ab-test/${id}`)),
  )
  return JSON.parse(
    JSON.stringify(
      said.map(({ metrics, interleaving, sampleRatio }) => ({
        metrics,
        interleaving,
        sampleRatio,
      })),
      (_, value) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value),
    ),
  )
}

for (const isCut of [false, true])
  it(`tests count nothing of a session that was forgotten, nor of a user, where the log is ${isCut ? 'cut' : 'whole'}`, async () => {
    const running = await startApp({ EXPLORATION_SHARE: '0' })
    onTestFinished(() => running.close())
    const ids = await openTests(running)
    await live(running, 'ann')
    await live(running, 'bob')
    const before = await counted(running, ids)
    const second = await live(running, 'ann')
    await live(running, 'eve')
    expect(await counted(running, ids)).not.toEqual(before)
    const { store } = running.app
    if (isCut) await store.write(() => store.tables.meta.put('log cut', true))
    for (const subject of [second, 'eve']) {
      const path = `/nous/learn/subjects/${subject}`
      expect(await running.must('DELETE', path)).toMatchObject({ rebuilt: !isCut })
    }
    expect(await counted(running, ids)).toEqual(before)
  })

for (const isCut of [false, true])
  it(`tests count nothing that a forgotten session and another one of its user told of what the other was shown, where the log is ${isCut ? 'cut' : 'whole'}`, async () => {
    const running = await startApp({ EXPLORATION_SHARE: '0' })
    onTestFinished(() => running.close())
    const { must } = running
    const ids = await openTests(running)
    const [first, second] = await Promise.all(
      [0, 1].map(() => must<{ sessionId: string }>('POST', '/cortex/sessions', { userId: 'ann' })),
    )
    const search = (sessionId: string) =>
      must<{ hits: { id: string }[]; searchContext: { queryId: string } }>(
        ...(['POST', '/cortex/search', { query: 'fox', index: 'w', sessionId }] as const),
      )
    const tell = (
      sessionId: string,
      { hits, searchContext: { queryId } }: Awaited<ReturnType<typeof search>>,
      [userAction, at, rating]: [string, number, number],
    ) =>
      must('POST', '/cortex/feedback', {
        sessionId,
        feedback: [{ queryId, rating, metadata: { userAction, resultId: hits[at]!.id } }],
      })
    const own = await search(first!.sessionId)
    await tell(first!.sessionId, own, ['click', 2, 0.5])
    const before = await counted(running, ids)
    await tell(second!.sessionId, own, ['purchase', 0, 1])
    await tell(second!.sessionId, own, ['click', 1, 1])
    await tell(first!.sessionId, await search(second!.sessionId), ['click', 1, 1])
    expect(await counted(running, ids)).not.toEqual(before)
    const { store } = running.app
    if (isCut) await store.write(() => store.tables.meta.put('log cut', true))
    const path = `/nous/learn/subjects/${second!.sessionId}`
    expect(await must('DELETE', path)).toMatchObject({ rebuilt: !isCut })
    expect(await counted(running, ids)).toEqual(before)
  })
