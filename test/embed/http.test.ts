import { describe, expect, it, onTestFinished } from 'vitest'
import { type HttpEmbedder, openHttpEmbedder } from '../../src/embed/http.ts'
import { closedGate } from '../gate.ts'
import { waitUntil } from '../wait-until.ts'
import { type EndpointCall, embeddings, startEndpoint, vectorOf } from './endpoint.ts'

interface Opened extends HttpEmbedder {
  documents: (texts: string[]) => Promise<Float32Array[]>
  query: (text: string) => Promise<Float32Array[]>
}

function open(url: string, timeoutMs = 5000, embedderKey = 'secret-key'): Opened {
  const embedder = openHttpEmbedder({
    embedderUrl: url,
    embedderModel: 'small',
    embedderKey,
    embedderDimensions: 3,
    embedderTimeoutMs: timeoutMs,
  })
  onTestFinished(() => embedder.close())
  return {
    ...embedder,
    documents: (texts) => embedder.embedTexts(texts, { kind: 'document' }),
    query: (text) => embedder.embedTexts([text], { kind: 'query' }),
  }
}

const numbers = (vectors: Float32Array[]) => vectors.map((vector) => [...vector])
const plain = (call: EndpointCall) => embeddings({ ...call, encoding_format: 'float' })

describe('the vectors', () => {
  it('come in the order of the texts, in batches of at most 64, a few calls at a time', async () => {
    let running = 0
    let runningMax = 0
    const { url, calls } = await startEndpoint(async (call) => {
      runningMax = Math.max(runningMax, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return embeddings(call)
    })
    const texts = Array.from({ length: 1000 }, (_, n) => `text ${n}`)
    expect(numbers(await open(url).documents(texts))).toEqual(texts.map(vectorOf))
    expect(calls).toHaveLength(16)
    expect(Math.max(...calls.map(({ input }) => input.length))).toBe(64)
    expect(runningMax).toBeLessThanOrEqual(4)
    expect(calls[0]).toMatchObject({ model: 'small', authorization: 'Bearer secret-key' })
  })

  it('are asked for with name and password of the address where there is no key', async () => {
    const { url, calls } = await startEndpoint(plain)
    const address = url.replace('//', '//user:p%40ss%C3%A9@')
    await open(address, 5000, '').documents(['a'])
    await open(address).documents(['a'])
    await open(url, 5000, '').documents(['a'])
    const basic = `Basic ${Buffer.from('user:p@ssé').toString('base64')}`
    expect(calls.map(({ authorization }) => authorization)).toEqual([
      ...[basic, 'Bearer secret-key', undefined],
    ])
  })

  it('may come as numbers although base64 was asked for', async () => {
    const { url } = await startEndpoint(plain)
    expect(numbers(await open(url).documents(['a', 'bc']))).toEqual([vectorOf('a'), vectorOf('bc')])
  })

  it('are asked for as numbers once the endpoint has refused base64', async () => {
    const { url, calls } = await startEndpoint((call) =>
      call.encoding_format === undefined ? embeddings(call) : { status: 400 },
    )
    const embedder = open(url)
    await embedder.documents(['a'])
    await embedder.documents(['b'])
    expect(calls.map(({ encoding_format }) => encoding_format)).toEqual([
      'base64',
      undefined,
      undefined,
    ])
  })

  it('of queries are remembered, and the same query twice in one call is asked once', async () => {
    const { url, calls } = await startEndpoint(embeddings)
    const embedder = open(url)
    await embedder.query('cat')
    const vectors = await embedder.embedTexts(['dog', 'cat', 'dog'], { kind: 'query' })
    expect(numbers(vectors)).toEqual(['dog', 'cat', 'dog'].map(vectorOf))
    expect(calls.map(({ input }) => input)).toEqual([['cat'], ['dog']])
  })

  it('of no texts need no call', async () => {
    const { url, calls } = await startEndpoint(embeddings)
    expect(await open(url).documents([])).toEqual([])
    expect(calls).toHaveLength(0)
  })
})

describe('trouble that can pass', () => {
  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['503', { status: 503 }],
    ['a lost connection', { hangUp: true }],
  ])('%s is tried again', async (_, trouble) => {
    const { url, calls } = await startEndpoint((call, number) =>
      number < 3 ? trouble : embeddings(call),
    )
    expect(numbers(await open(url).documents(['a']))).toEqual([vectorOf('a')])
    expect(calls).toHaveLength(3)
  })

  it('waits as long as Retry-After says', async () => {
    const times: number[] = []
    const { url } = await startEndpoint((call, number) => {
      times.push(performance.now())
      return number === 1 ? { status: 429, headers: { 'retry-after': '1' } } : embeddings(call)
    })
    await open(url).documents(['a'])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950)
  })

  it('that lasts is EMBEDDER_UNAVAILABLE, sooner for a query than for documents', async () => {
    const { url, calls } = await startEndpoint(() => ({ status: 500 }))
    const failure = await open(url)
      .query('a')
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', status: 503 })
    expect(calls).toHaveLength(2)
  })

  it('of more than a few seconds is told to the caller instead of waited for', async () => {
    const { url, calls } = await startEndpoint(() => ({
      status: 429,
      headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() },
    }))
    const failure = await open(url)
      .documents(['a'])
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
    expect((failure as { retryAfterS: number }).retryAfterS).toBeGreaterThan(50)
    expect(calls).toHaveLength(1)
  })

  it('includes an endpoint that does not answer in time', async () => {
    const { url, calls } = await startEndpoint((call, number) =>
      number === 1 ? { silent: true } : embeddings(call),
    )
    expect(numbers(await open(url, 100).documents(['a']))).toEqual([vectorOf('a')])
    expect(calls).toHaveLength(2)
  })
})

it('an endpoint may be given more time than a request has', async () => {
  const { url, calls } = await startEndpoint((call, number) =>
    number === 1 ? { status: 503 } : embeddings(call),
  )
  const vectors = open(url, 5000).embedTexts(['a'], { kind: 'document', withinMs: 4000 })
  expect(numbers(await vectors)).toEqual([vectorOf('a')])
  expect(calls).toHaveLength(2)
})

describe('trouble that stays', () => {
  const unavailable = { code: 'EMBEDDER_UNAVAILABLE' }
  const vector = (embedding: unknown) => ({ body: { data: [{ index: 0, embedding }] } })

  it.each([
    ['a refused key', { status: 401 }],
    ['text that is not JSON', { body: 'hello' }],
    ['no data', { body: {} }],
    ['too few vectors', { body: { data: [] } }],
    ['a vector of the wrong length', vector([1, 2])],
    ['a number that is none', vector([1, null, 3])],
    ['a number that float32 can not hold', vector([1, 1e300, 3])],
    ['a vector without a direction', vector([0, 1e-40, 0])],
    ['base64 of half a number', vector(Buffer.alloc(11).toString('base64'))],
    ['a place that no text has', { body: { data: [{ index: 5, embedding: [1, 2, 3] }] } }],
    ['null', { body: 'null' }],
  ])('%s is EMBEDDER_UNAVAILABLE at once', async (_, reply) => {
    const { url, calls } = await startEndpoint(() => reply)
    await expect(open(url).documents(['a'])).rejects.toMatchObject(unavailable)
    expect(calls).toHaveLength(1)
  })

  it('an endpoint that is not there, or not set up, is EMBEDDER_UNAVAILABLE', async () => {
    await expect(open('http://127.0.0.1:1/').query('a')).rejects.toMatchObject(unavailable)
    await expect(open('').query('a')).rejects.toMatchObject(unavailable)
  })

  it('an endpoint that never answers in time is said to be late, not to be out of reach', async () => {
    const { url } = await startEndpoint(() => ({ silent: true }))
    await expect(open(url, 50).query('a')).rejects.toMatchObject({
      message: 'The embedder did not answer within 50 ms, the setting EMBEDDER_TIMEOUT_MS.',
    })
    const hasty = open(url).embedTexts(['a'], { kind: 'query', withinMs: 50 })
    await expect(hasty).rejects.toMatchObject({
      message:
        'The embedder did not answer in the time that a request leaves it, half of the setting REQUEST_TIMEOUT_MS with all attempts.',
    })
  })

  it('never names the key', async () => {
    const { url } = await startEndpoint(() => ({ status: 403, body: 'secret-key' }))
    const failure = await open(url)
      .query('a')
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    for (let error = failure; error instanceof Error; error = error.cause)
      expect(JSON.stringify([error.message, error.stack, { ...error }])).not.toContain('secret-key')
  })
})

it('a query does not wait behind documents', async () => {
  const documents = closedGate()
  const { url, calls } = await startEndpoint(async (call) => {
    if (call.input.length > 1) await documents.opened
    return embeddings(call)
  })
  const embedder = open(url)
  const loading = embedder.documents(Array.from({ length: 640 }, (_, n) => `${n}`))
  await waitUntil(() => calls.length >= 4)
  expect(numbers(await embedder.query('cat'))).toEqual([vectorOf('cat')])
  documents.open()
  expect(await loading).toHaveLength(640)
})

it('a caller who gives up gets the reason, and no more calls are made', async () => {
  const { url, calls } = await startEndpoint(() => ({ silent: true }))
  const controller = new AbortController()
  const asking = open(url).embedTexts(['a'], { kind: 'document', signal: controller.signal })
  const outcome = asking.catch((error: unknown) => error)
  await waitUntil(() => calls.length > 0)
  controller.abort(new Error('gone'))
  expect(await outcome).toMatchObject({ message: 'gone' })
  expect(calls).toHaveLength(1)
})
