import { expect, it } from 'vitest'
import { firstIdOf } from '../../src/ids.ts'
import { isFoldedAnew, RELEARNING } from '../../src/learn/loop/fold.ts'
import { closedGate } from '../gate.ts'
import { startApp } from '../running-app.ts'
import { settableClock } from '../system-clock.ts'
import { waitUntil } from '../wait-until.ts'

it('what is past its time is removed though a part of learning can not write', async () => {
  const running = await startApp()
  try {
    const { store, sessions, learning } = running.app
    const outcomes = store.tables.experimentSearches
    const old = `${firstIdOf(0)}-7000-8000-000000000000`
    sessions.totals.flush = () => Promise.reject(new Error('full'))
    const none = { best: 0, clicked: false, converted: false, places: [] }
    await store.write(() => outcomes.put(old, none))
    await learning.tick()
    expect(outcomes.has(old)).toBe(false)
  } finally {
    await running.close()
  }
})

it('each part removes what is past its time with every round', async () => {
  const running = await startApp()
  try {
    const { store, learning } = running.app
    const { tables } = store
    const old = `${firstIdOf(0)}-7000-8000-000000000000`
    await running.must('POST', '/nous/signals/process', { signalId: 's', type: 'CLICK' })
    const [told] = [...tables.signalOrder.keys()]
    if (told === undefined) throw new Error('The signal is not there.')
    await store.write(() => {
      tables.signalOrder.remove(told)
      tables.signalOrder.put([1, 's'], true)
      tables.judgements.put(old, { unit: 'u', gains: [] })
      tables.feedbackSeen.put([0, old], [])
      tables.eventDays.put([0, 'MODEL_SYNCED'], 1)
      tables.reportedClicks.put(old, 1)
      tables.examinations.put(0, { clicks: 1, places: [], parts: [] })
    })
    await learning.tick()
    expect({
      eventDays: tables.eventDays.has([0, 'MODEL_SYNCED']),
      signals: tables.signals.has('s'),
      judgements: tables.judgements.has(old),
      feedbackSeen: tables.feedbackSeen.has([0, old]),
      reportedClicks: tables.reportedClicks.has(old),
      examinations: tables.examinations.has(0),
    }).toEqual({
      eventDays: false,
      signals: false,
      judgements: false,
      feedbackSeen: false,
      reportedClicks: false,
      examinations: false,
    })
  } finally {
    await running.close()
  }
})

it('what is counted of a session is on the disk after a round', async () => {
  const running = await startApp()
  try {
    const { store, learning } = running.app
    const { sessionId } = await running.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    await running.must('POST', '/cortex/search', { query: 'word', sessionId })
    await learning.tick()
    expect(store.tables.sessionTotals.get(sessionId)).toMatchObject({ searches: 1 })
  } finally {
    await running.close()
  }
})

it('learning that had nothing to do for an hour is not stuck when something comes', async () => {
  const clock = settableClock()
  const running = await startApp()
  try {
    const { learning } = running.app
    clock.aheadMs = 3_600_000
    await learning.tick()
    await running.must('POST', '/cortex/analytics/search', { eventType: 'seen' })
    expect(learning.health.training).not.toThrow()
  } finally {
    await running.close()
  }
})

it('what people did goes past its time where nobody comes any more, too', async () => {
  const clock = settableClock()
  const running = await startApp()
  const kept = () => {
    const { tables } = running.app.store
    const { attributions, clickedSearches, feedbackSeen, impressions, journal, judgements } = tables
    const { hourReports, lastSearches, reportedClicks } = tables
    const shown = { clickedSearches, hourReports, impressions, lastSearches, reportedClicks }
    const all = { ...shown, attributions, feedbackSeen, journal, judgements }
    return Object.entries(all).flatMap(([name, table]) => (table.count() > 0 ? name : []))
  }
  try {
    await running.must('PUT', '/cortex/documents/a?index=docs', { title: 'word' })
    const { sessionId } = await running.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const search = { query: 'word', sessionId }
    const { searchContext } = await running.must<{ searchContext: { queryId: string } }>(
      ...(['POST', '/cortex/search', search] as const),
    )
    const told = { rating: 1, metadata: { userAction: 'click', resultId: 'a' } }
    const feedback = [{ queryId: searchContext.queryId, ...told }]
    await running.must('POST', '/cortex/feedback', { sessionId, feedback })
    await running.app.learning.caughtUp()
    await running.restart()
    expect(kept()).toHaveLength(9)
    clock.aheadMs = 32 * 86_400_000
    await waitUntil(async () => {
      await running.app.learning.tick()
      return kept().length === 0
    })
  } finally {
    await running.close()
  }
})

it('gates and triggers wait while what they decide by is learned anew', async () => {
  const running = await startApp()
  try {
    const { store, learning } = running.app
    const { meta } = store.tables
    const ticked = new Set<string>()
    for (const part of ['models', 'experiments', 'adaptations'] as const)
      learning[part].tick = async () => void ticked.add(part)
    await store.write(() => meta.put(RELEARNING, 0))
    ticked.clear()
    await learning.tick()
    expect([...ticked]).toEqual(['experiments'])
    await store.write(() => meta.remove(RELEARNING))
    await learning.tick()
    expect([...ticked].sort()).toEqual(['adaptations', 'experiments', 'models'])
  } finally {
    await running.close()
  }
})

it('a change that would wait too long for what is learned anew is refused within the time of its request', async () => {
  const running = await startApp({ REQUEST_TIMEOUT_MS: '3000' })
  try {
    const { store, learning } = running.app
    const { meta } = store.tables
    await store.write(() => meta.put(RELEARNING, 0))
    // While something came since the fold began, to be caught up takes as long as that.
    const { caughtUp } = learning
    learning.caughtUp = () => new Promise(() => {})
    // What is not learned anew is read meanwhile.
    for (const path of ['/nous/learn/events', '/nous/learn/metrics'])
      await running.must('GET', path)
    const change = { type: 'ranking', changes: { minScore: 0.1 } }
    const refused = await running.call('POST', '/nous/adapt/apply', change)
    expect(refused).toMatchObject({ status: 503, code: 'TIMED_OUT' })
    expect(refused.error).toContain('counted anew')
    await store.write(() => meta.remove(RELEARNING))
    learning.caughtUp = caughtUp
    expect(await running.must('GET', '/nous/adaptations')).toMatchObject({ adaptations: [] })
    expect(await running.must('POST', '/nous/adapt/apply', change)).toMatchObject({
      status: 'CANARY',
    })
  } finally {
    await running.close()
  }
})

it('a change is taken back at once, also while somebody is being forgotten', async () => {
  const running = await startApp({ REQUEST_TIMEOUT_MS: '5000' })
  const fold = closedGate()
  try {
    const { must } = running
    const { store, learning } = running.app
    const { sessionId } = await must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    await must('POST', '/cortex/search', { query: 'word', sessionId })
    const change = { type: 'ranking', changes: { minScore: 0.1 }, immediate: true }
    const { adaptationId } = await must<{ adaptationId: string }>(
      'POST',
      '/nous/adapt/apply',
      change,
    )
    const { release } = store
    let isHeld = false
    // The fold anew, once it has emptied what was learned; what others write meanwhile passes.
    store.release = async (work) => {
      const done = await release(work)
      if (isFoldedAnew(store) && !isHeld) {
        isHeld = true
        await fold.opened
      }
      return done
    }
    const forgetting = learning.subjects.forget(sessionId)
    await waitUntil(() => isHeld, 5000)
    // Behind it, what comes now waits to be learned.
    await must('POST', '/cortex/analytics', { eventType: 'view' })
    const rollback = `/nous/adaptations/${adaptationId}/rollback`
    expect(await must('POST', rollback)).toMatchObject({ status: 'ROLLED_BACK' })
    fold.open()
    await forgetting
  } finally {
    fold.open()
    await running.close()
  }
})
