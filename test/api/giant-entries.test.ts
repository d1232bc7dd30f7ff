import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/ids.ts'
import type { SignalList, SignalQuery } from '../../src/schema/signal.ts'
import { openJournal } from '../../src/store/journal.ts'
import { countTurns } from '../count-turns.ts'
import { type RunningApp, startApp } from '../running-app.ts'

const ENTRIES = 24
/** Decoded, each takes longer than anybody should wait for all of them. */
const METADATA = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`key${n}`, n]))

let running: RunningApp

/** Entries as stores of earlier versions have them; now such metadata are a text. */
function appendGiants(): Promise<void> {
  const { store } = running.app
  const journal = openJournal(store)
  return store.write(() => {
    for (let n = 0; n < ENTRIES; n++) {
      const told = { queryId: `query ${n}`, action: 'click', rating: 1, timeMs: Date.now() }
      const entry = { ...told, signalId: newId(), metadata: METADATA, status: 'unmatched' }
      const data = { feedbackId: newId(), entries: [entry] }
      journal.appendWithin({ timeMs: Date.now(), type: 'feedback', sessionId: 'nobody', data })
    }
  })
}

async function listSignals(query: SignalQuery): Promise<SignalList> {
  const list = await running.app.learning.signals.list(query)
  return JSON.parse(Buffer.from(list).toString())
}

describe('long entries of the journal', () => {
  beforeAll(async () => {
    running = await startApp()
    await appendGiants()
    await running.app.learning.caughtUp()
  })
  afterAll(() => running.close())

  it('are read for a list of feedback with turns for others in between', async () => {
    const { feedback } = running.app.learning
    const { turns, value: page } = await countTurns(() => feedback.read({ limit: 100 }))
    expect(page.feedback).toHaveLength(ENTRIES)
    expect(page.summary).toMatchObject({ total: ENTRIES, complete: true })
    expect(turns).toBeGreaterThan(ENTRIES / 2)
  })

  it('for a list of signals, too', async () => {
    const { turns, value: page } = await countTurns(() => listSignals({ limit: 100 }))
    expect(page.signals).toHaveLength(ENTRIES)
    expect(turns).toBeGreaterThan(ENTRIES / 2)
  })

  it('when one of their signals is told of', async () => {
    const { signals } = running.app.learning
    const { signals: listed } = await listSignals({ limit: 100 })
    const signalId = listed[0]?.signalId as string
    const { turns, value } = await countTurns(() => signals.record({ signalId }))
    expect(value.previousStatus).toBe('COMPLETED')
    expect(turns).toBeGreaterThan(ENTRIES / 2)
  })

  it('and when they are removed', async () => {
    const journal = openJournal(running.app.store)
    const { turns, value: removed } = await countTurns(() =>
      journal.sweep({ beforeMs: Date.now() + 1000, nowMs: Date.now() }),
    )
    expect(removed).toBe(ENTRIES)
    expect(turns).toBeGreaterThan(ENTRIES / 2)
  })
})

describe('what clients tell at length', () => {
  /** Hardly anything in each of them, but each an object. */
  const LONG = Array.from({ length: 2000 }, (_, n) => (n === 1500 ? { ms: 5 } : {}))

  beforeAll(async () => {
    running = await startApp()
  })
  afterAll(() => running.close())

  async function newest() {
    await running.app.learning.caughtUp()
    const [row] = openJournal(running.app.store).read({ reverse: true, limit: 1 })
    return row!.entry
  }

  it('of an event is a text in the journal, and is told as it came', async () => {
    const event = {
      ...{ sessionId: 's', eventType: 'slow', performance: { list: LONG, none: null } },
      ...{ results: LONG, metadata: { userId: 'somebody', more: LONG }, own: null },
    }
    const { eventId } = await running.must('POST', '/cortex/analytics/search', event)
    const entry = await newest()
    const read = { eventId, eventType: 'slow', userId: 'somebody', performance: 0 }
    expect(entry).toMatchObject({ type: 'analytics', sessionId: 's' })
    expect(entry.data).toEqual(read)
    expect(JSON.parse(entry.long as string)).toEqual(event)
    const { signals } = await running.must('GET', '/nous/signals')
    expect(signals).toMatchObject([{ signalId: eventId, source: 'analytics' }])
    const [{ metadata }] = signals as [{ metadata: object }]
    expect(metadata).toEqual({ eventType: 'slow', performance: event.performance })
  })

  it('comes in pages of some megabytes', async () => {
    const performance = { list: new Array<number>(100_000).fill(1234.5678) }
    const sent: unknown[] = []
    for (let n = 0; n < 6; n++) {
      const event = { eventType: 'long', performance }
      sent.unshift((await running.must('POST', '/cortex/analytics/search', event)).eventId)
    }
    const listed: string[] = []
    const pages: number[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined && pages.length < 9; ) {
      const page = await listSignals({ limit: 1000, ...(cursor === '' ? {} : { cursor }) })
      listed.push(...page.signals.map(({ signalId }) => signalId))
      pages.push(page.signals.length)
      cursor = page.nextCursor
    }
    expect(listed.slice(0, 6)).toEqual(sent)
    expect(pages[0]).toBe(4)
    expect(pages).toHaveLength(2)
  })

  it('of an event without figures makes no signal either', async () => {
    const before = await running.must('GET', '/nous/signals')
    const event = { eventType: 'quick', performance: LONG.map(() => ({})) }
    const { eventId } = await running.must('POST', '/cortex/analytics/search', event)
    expect((await newest()).data).toEqual({ eventId, eventType: 'quick' })
    const { total } = await running.must('GET', '/nous/signals')
    expect(total).toBe(before.total)
  })

  it('of a result is a text but for what learning reads', async () => {
    const customMetadata = { viewed: false, list: LONG }
    const metadata = { userAction: 'view', own: null, customMetadata }
    await running.must('POST', '/cortex/feedback', {
      sessionId: 'nobody',
      feedback: [{ queryId: 'q', rating: 1, metadata }],
    })
    const { entries } = (await newest()).data as { entries: [{ long: string }] }
    expect(entries).toMatchObject([{ action: 'view', metadata: { viewed: false } }])
    expect(entries[0]).not.toHaveProperty('metadata.customMetadata')
    expect(JSON.parse(entries[0].long)).toEqual({ own: null, customMetadata })
  })
})
