import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { type RunningApp, startApp } from '../running-app.ts'

/** A list of another kind has a test of its own, here or where its rows are short. */
const OTHERS = ['/nous/learn/events', '/nous/learn/models', '/nous/signals']
const THINGS = 6
/** Four of these, with what the service says beside them, are what a page may hold. */
const TEXT = 'x'.repeat(900_000)
const SMALL = [{ id: 'a' }, { id: 'b' }]

let running: RunningApp

/** Lists whose rows tell what clients sent: what makes a row, and what of the row is that. */
const LISTS: { path: string; rows: string; id: string; send: (n: number) => [string, object] }[] = [
  {
    ...{ path: '/nous/adapt/suggestions', rows: 'suggestions', id: 'suggestionId' },
    send: (n) => [
      '/nous/adapt/suggest',
      { queryHash: `h${n}`, confidence: 0.9, patterns: { averageRelevance: 0.1, note: TEXT } },
    ],
  },
  {
    ...{ path: '/nous/adapt/rules', rows: 'rules', id: 'ruleId' },
    send: (n) => ['/nous/adapt/rules', { queryHash: `h${n}`, changes: { note: TEXT } }],
  },
  {
    ...{ path: '/nous/adaptations', rows: 'adaptations', id: 'adaptationId' },
    send: (n) => [
      '/nous/adapt/apply',
      { type: 'own', queryHash: `h${n}`, changes: { note: n }, expectedImpact: TEXT },
    ],
  },
  {
    ...{ path: '/cortex/ab-test', rows: 'tests', id: 'testId' },
    send: (n) => [
      '/cortex/ab-test/create',
      { name: `t${n}`, variants: SMALL, targetingRules: { userId: TEXT } },
    ],
  },
  {
    ...{ path: '/nous/ab-testing/experiments', rows: 'experiments', id: 'experimentId' },
    send: (n) => [
      '/nous/ab-testing/experiments',
      { name: `e${n}`, type: 'own', variants: SMALL, fallbackConfig: { note: TEXT } },
    ],
  },
]

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

type Row = Record<string, unknown>
type Page = { total: number; nextCursor?: string } & Record<string, unknown>

/** Every page of a list, one after the other. */
async function pagesOf(path: string, rows: string): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let cursor = ''; pages.length < 20; ) {
    const page = await running.must<Page>('GET', `${path}?limit=1000${cursor}`)
    pages.push(page[rows] as Row[])
    if (page.nextCursor === undefined) break
    cursor = `&cursor=${page.nextCursor}`
  }
  return pages
}

it('each list of rows that goes on by a cursor is tried here', () => {
  const goesOn = routes.filter(({ reply }) => 'nextCursor' in Object(Object(reply).properties))
  const paths = goesOn.map(({ path }) => path).filter((path) => path !== '/cortex/search')
  expect(paths.sort()).toEqual([...LISTS.map(({ path }) => path), ...OTHERS].sort())
})

it.each(LISTS)('$path comes in pages of some megabytes', async ({ path, rows, id, send }) => {
  const sent: Row[] = []
  for (let n = 0; n < THINGS; n++) sent.unshift(await running.must<Row>('POST', ...send(n)))
  const pages = await pagesOf(path, rows)
  // A suggestion that was accepted has made a rule.
  const listed = pages.flat().filter((row) => JSON.stringify(row).includes(TEXT))
  expect(listed.map((row) => row[id])).toEqual(sent.map((row) => row[id]))
  expect(pages[0]).toHaveLength(4)
  expect(pages.length).toBeGreaterThan(1)
  // A rule's warnings are told once, and when it is looked at next is another time by now.
  const { warnings: _, monitoring: __, ...first } = sent[0] as Row
  expect(listed[0]).toMatchObject(first)
  const { total } = await running.must<Page>('GET', path)
  expect(total).toBe(pages.flat().length)
})

it('/nous/learn/events does, too, and tells what was sent with each', async () => {
  const sent: unknown[] = []
  for (let n = 0; n < THINGS; n++) {
    const change = { type: 'told', queryHash: `t${n}`, changes: { note: `${n} ${TEXT}` } }
    sent.unshift((await running.must('POST', '/nous/adapt/apply', change)).adaptationId)
  }
  const short = { type: 'told', queryHash: 'short', changes: { note: 'short' } }
  sent.unshift((await running.must('POST', '/nous/adapt/apply', short)).adaptationId)
  const pages = await pagesOf('/nous/learn/events', 'events')
  expect(pages[0]?.length).toBeLessThan(40)
  const applied = pages.flat().filter(({ type }) => type === 'ADAPTATION_APPLIED')
  expect(applied.slice(0, sent.length).map((event) => event.adaptationId)).toEqual(sent)
  expect(applied[0]?.data).toMatchObject({ scope: 'short', changes: { note: 'short' } })
  expect(applied[1]?.data).toMatchObject({ scope: 't5', changes: { note: `5 ${TEXT}` } })
  expect(applied[1]).toMatchObject({ sessionId: null, correlationId: null })
  const ids = pages.flat().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const { total } = await running.must<Page>('GET', '/nous/learn/events?limit=1')
  expect(total).toBe(ids.length)
})

it('/nous/signals ends a page of many that were told at some length', async () => {
  const metadata = { note: 'x'.repeat(60_000) }
  const sent: string[] = []
  for (let n = 0; n < 80; n++) {
    sent.unshift(`told-${n}`)
    await running.must('POST', '/nous/signals/process', { signalId: `told-${n}`, metadata })
  }
  const pages = await pagesOf('/nous/signals', 'signals')
  expect(pages[0]?.length).toBeLessThan(70)
  const told = pages.flat().filter(({ source }) => source === 'external')
  expect(told.map(({ signalId }) => signalId)).toEqual(sent)
  expect(told[0]?.metadata).toEqual(metadata)
})

it.each(LISTS)('$path refuses a cursor that is none', async ({ path }) => {
  expect(await running.call('GET', `${path}?cursor=wat`)).toMatchObject({
    ...{ status: 400, code: 'INVALID_CURSOR', details: [{ path: 'cursor' }] },
  })
})
