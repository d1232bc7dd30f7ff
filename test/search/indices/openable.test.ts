import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { native } from '../../../src/native.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ INDICES_MAX: '8' })
})
afterAll(() => running.close())

const RULES = Array.from({ length: 10_000 }, (_, n) => `word${n}, other${n}`)
const synonyms = { analysis: { synonyms: RULES } }
const create = (name: string, more: object = {}) =>
  running.call('POST', '/cortex/indices', { name, settings: synonyms, ...more })

/** What this thread has the core read until the test ends. */
function watchChecks(): () => number {
  const check = vi.spyOn(native, 'check')
  onTestFinished(() => check.mockRestore())
  return () => check.mock.calls.length
}

describe('an index of many synonyms', () => {
  it('is read by the core on another thread, when it is declared and when it is extended', async () => {
    const checks = watchChecks()
    expect((await create('many')).status).toBe(200)
    const mappings = { properties: { extra: { type: 'keyword' } } }
    expect((await running.call('PUT', '/cortex/indices/many', { mappings })).status).toBe(200)
    expect(checks()).toBe(0)
    await running.must('POST', '/cortex/documents', { index: 'many', document: { title: 'word7' } })
    const found = await running.must('POST', '/cortex/search', { index: 'many', query: 'other7' })
    expect(found.total).toBe(1)
  })

  it('takes a name once, though two declare it at a time', async () => {
    const both = await Promise.all([create('twice'), create('twice')])
    expect(both.map(({ status, code }) => [status, code]).sort()).toEqual([
      [200, undefined],
      [409, 'INDEX_EXISTS'],
    ])
  })

  it('does not take the name of an index that came while the core read it', async () => {
    const slow = create('overtaken')
    const quick = await running.call('POST', '/cortex/indices', { name: 'overtaken' })
    const codes = [(await slow).code, quick.code]
    expect(codes.filter((code) => code === 'INDEX_EXISTS')).toHaveLength(1)
  })

  it('is refused beyond the last place, though it was free when the request came', async () => {
    const { indices } = await running.must<{ indices: unknown[] }>('GET', '/cortex/indices')
    const free = 8 - indices.length
    const all = await Promise.all(Array.from({ length: free + 2 }, (_, n) => create(`place${n}`)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(free)
    expect(all.filter(({ code }) => code === 'LIMIT_REACHED')).toHaveLength(2)
  })
})
