import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { canonicalJson } from '../../src/json/canonical.ts'
import { LARGE_BYTES } from '../../src/json/gradual.ts'
import { checksumOf } from '../../src/learn/models/state.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ JSON_DEPTH_MAX: '8' })
})
afterAll(() => running.close())

const PATH = '/nous/learn/models/sync'
/** Room for more than another thread is asked for. */
const NOTES = 'x'.repeat(2 * LARGE_BYTES)
const SMALL = {
  weights: { clickMemory: 0.2, textScore: 0.5 },
  bias: 0.1,
  featureNames: ['textScore', 'clickMemory'],
}
const state = (more: object = {}) => ({ ...SMALL, notes: NOTES, ...more })

interface Synced {
  version: number
  status: string
  servable: boolean
  reasons?: string[]
  checksum: string
  unchanged: boolean
}
const post = (text: string, headers: Record<string, string> = {}) =>
  running.call<Synced>('POST', PATH, text, headers)
const sync = (modelId: string, sent: unknown, more: object = {}) =>
  post(JSON.stringify({ modelId, state: sent, ...more }))

/** Characters of the longest text that this thread parses until the test ends. */
function watchParsing(): () => number {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  return () => Math.max(...parse.mock.calls.map(([text]) => text.length))
}

describe('a large state', () => {
  it('is read by another thread, so that no search waits for its parsing', async () => {
    const longest = watchParsing()
    const { data } = await sync('elsewhere', state())
    expect(data).toMatchObject({ version: 1, servable: true, unchanged: false })
    expect(longest()).toBeLessThan(LARGE_BYTES)
  })

  it('is sent as it is stored, so that no search waits for its parsing', async () => {
    const sent = state({ own: 'é', 7: null, list: [{ b: 1, a: [] }] })
    await sync('read', sent)
    const longest = watchParsing()
    const response = await fetch(`${running.url}/nous/learn/models/read?state=true`)
    const text = await response.text()
    expect(longest()).toBeLessThan(LARGE_BYTES)
    expect(text).toContain(`,"state":${canonicalJson(sent)}},"meta":{`)
    const { data } = JSON.parse(text)
    expect(data).toMatchObject({ modelId: 'read', state: sent, versions: [{ version: 1 }] })
    const { state: _, ...others } = data
    expect(others).toEqual(await running.must('GET', '/nous/learn/models/read'))
  })

  it('is the same version as ever, and whole', async () => {
    const sent = state({ metrics: { accuracy: 0.9, own: [{ a: null }] }, own: { list: [1, 'x'] } })
    const first = await sync('whole', sent)
    expect(first.data.checksum).toBe(checksumOf(canonicalJson(sent)))
    const text = JSON.stringify({ modelId: 'whole', state: sent })
    const packed = await fetch(`${running.url}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(text),
    })
    expect(((await packed.json()) as { data: Synced }).data).toEqual({
      ...first.data,
      unchanged: true,
    })
    const read = await running.must('GET', '/nous/learn/models/whole?state=true')
    expect(read.state).toEqual(sent)
    const { metrics } = sent as { metrics?: object }
    expect(read.versions).toMatchObject([{ metrics, kind: 'linear', servable: true }])
  })

  it('may rank at once, or is kept with the reasons why it can not', async () => {
    const ranks = await sync('at-once', state(), { activate: true })
    expect(ranks.data).toMatchObject({ status: 'ACTIVE' })
    const unfit = await sync('unfit', state({ weights: [1], trainingProgress: 0.5 }), {
      activate: true,
    })
    expect(unfit.data).toMatchObject({ status: 'CANDIDATE', servable: false })
    expect(unfit.data.reasons?.join(' ')).toMatch(/weights has 1 numbers.*not complete/)
    expect((await running.call('GET', '/nous/learn/models/unfit')).status).toBe(200)
  })

  it('of very many names is told without them, in its own answer and in lists', async () => {
    const featureNames = Array.from({ length: 50_000 }, (_, n) => `feature ${n}`)
    const { data } = await sync('named', state({ featureNames }))
    expect(data).toMatchObject({ version: 1, servable: false })
    expect(data.reasons?.[0]).toContain('featureNames[0]')
    const { versions } = await running.must('GET', '/nous/learn/models/named')
    expect(versions).toMatchObject([{ version: 1, kind: 'linear' }])
    expect(JSON.stringify(versions).length).toBeLessThan(5000)
  })

  it.each<[string, object, string]>([
    ['quoted weights', { weights: '[1]' }, 'state.weights'],
    ['a quoted mean', { scaler: { mean: '[0]' } }, 'state.scaler.mean'],
    ['a quoted accuracy', { metrics: { accuracy: '0.9' } }, 'state.metrics.accuracy'],
    ['a number out of range', { own: { huge: 'HUGE' } }, 'state.own.huge'],
    ['half a surrogate pair', { own: '\ud83d' }, 'state.own'],
  ])('with %s is refused like a small one', async (_, more, path) => {
    const text = JSON.stringify({ modelId: 'refused', state: state(more) })
    const answer = await post(text.replace('"HUGE"', '1e999'))
    const small = JSON.stringify({ modelId: 'refused', state: { ...SMALL, ...more } })
    const same = await post(small.replace('"HUGE"', '1e999'))
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details: [{ path }] })
    expect({ ...answer, meta: 0 }).toEqual({ ...same, meta: 0 })
    expect((await running.call('GET', '/nous/learn/models/refused')).status).toBe(404)
  })

  it.each<[string, string, string]>([
    ['that is cut off', `{"modelId":"m","state":{"notes":"${NOTES}"}`, 'MALFORMED_JSON'],
    [
      'that is too deep',
      `{"modelId":"m","notes":"${NOTES}","state":${'['.repeat(9)}`,
      'JSON_TOO_DEEP',
    ],
    ['without a state', `{"modelId":"m","notes":"${NOTES}"}`, 'VALIDATION_FAILED'],
    ['with a list for one', `{"modelId":"m","notes":"${NOTES}","state":[1]}`, 'VALIDATION_FAILED'],
    ['that is a list', `["${NOTES}"]`, 'VALIDATION_FAILED'],
  ])('in a body %s is refused like a small one', async (_, text, code) => {
    const [answer, small] = [await post(text), await post(text.replace(NOTES, ''))]
    expect(answer).toMatchObject({ status: 400, code, details: small.details })
    const said = (error = '') => error.replace(/\d+/, '')
    expect(said(answer.error)).toBe(said(small.error))
  })

  it('that comes again with its key gets the first answer; another one is refused', async () => {
    const headers = { 'idempotency-key': 'large' }
    const text = JSON.stringify({ modelId: 'keyed', state: state() })
    const broken = { 'idempotency-key': 'broken' }
    expect((await post(text.slice(1), broken)).code).toBe('MALFORMED_JSON')
    expect((await post(text, broken)).status).toBe(409)
    const first = await post(text, headers)
    expect(first.data).toMatchObject({ version: 1, unchanged: false })
    expect((await post(text, headers)).data).toEqual(first.data)
    const other = await post(text.replace('0.5', '0.6'), headers)
    expect(other.status).toBeGreaterThanOrEqual(400)
    expect(other.code).toBe((await post(text.replace(NOTES, ''), headers)).code)
  })
})
