import { expect, it } from 'vitest'
import { embeddings } from '../../embed/endpoint.ts'
import { startServedBy } from '../../embed/service.ts'
import type { RunningApp } from '../../running-app.ts'

/* The model that an endpoint is asked for is part of what an index is: vectors of two models can't be compared. */

async function start(model: string): Promise<{ service: RunningApp; asked: string[] }> {
  const asked: string[] = []
  const { service } = await startServedBy(
    (call) => {
      asked.push(`${call.model}: ${call.input.join()}`)
      return embeddings(call)
    },
    { EMBEDDER_MODEL: model, CHECKPOINT_MS: '100' },
  )
  return { service, asked }
}

interface Answer {
  hits: { id: string }[]
  searchContext: { degraded?: string[]; warnings?: string[] }
}

it('an index made under one model is searched by words, and keeps what comes, under another', async () => {
  const { service, asked } = await start('one')
  const add = (index: string, id: string) =>
    service.must<{ vectorized: boolean }>('POST', '/cortex/documents', {
      ...{ index, id, document: { title: `A document called ${id}` } },
    })
  const find = (index: string | string[]) =>
    service.must<Answer>('POST', '/cortex/search', { index, query: 'called' })
  expect(await add('old', 'first')).toMatchObject({ vectorized: true })
  expect(await service.must('GET', '/cortex/indices/old')).toMatchObject({
    settings: { embedder: { kind: 'http', dimensions: 3, model: 'one' } },
  })

  await service.restart({ EMBEDDER_MODEL: 'two' })
  asked.length = 0
  expect(await add('old', 'second')).toMatchObject({ vectorized: false })
  expect(await add('new', 'third')).toMatchObject({ vectorized: true })
  const warnings = [
    '"old" holds vectors of the model "one", and this server asks its endpoint for "two" (EMBEDDER_MODEL): it is searched by words alone.',
  ]
  const alone = await find('old')
  expect(alone.hits.map(({ id }) => id).sort()).toEqual(['first', 'second'])
  expect(alone.searchContext).toMatchObject({ degraded: ['vector'], warnings })
  const beside = await find(['old', 'new'])
  expect(beside.searchContext).toMatchObject({ warnings })
  expect(beside.searchContext).not.toHaveProperty('degraded')
  expect(asked).toEqual(['two: A document called third', 'two: called'])

  await service.restart({ EMBEDDER_MODEL: 'one' })
  expect((await find('old')).searchContext).not.toHaveProperty('warnings')
})

it('an index made while no model was named takes vectors of any', async () => {
  const { service } = await start('')
  const add = (id: string) =>
    service.must('POST', '/cortex/documents', { index: 'i', id, document: { title: id } })
  expect(await add('first')).toMatchObject({ vectorized: true })
  await service.restart({ EMBEDDER_MODEL: 'two' })
  expect(await add('second')).toMatchObject({ vectorized: true })
})

it('an index may say which model it wants, and is refused where that is another', async () => {
  const { service } = await start('one')
  const make = (name: string, embedder: object) =>
    service.call('POST', '/cortex/indices', { name, settings: { embedder } })
  expect(await make('same', { kind: 'http', model: 'one' })).toMatchObject({ status: 200 })
  expect(await make('other', { kind: 'http', model: 'two' })).toMatchObject({
    status: 400,
    details: [
      {
        path: 'settings.embedder.model',
        message: 'must be "one", the model that the endpoint is asked for (EMBEDDER_MODEL)',
      },
    ],
  })
  expect(await make('list', { kind: 'http', model: ['one'] })).toMatchObject({
    status: 400,
    details: [{ path: 'settings.embedder.model', message: 'must be a text that is not empty' }],
  })
})

it('what means nothing of an embedder is kept and told', async () => {
  const { service } = await start('one')
  const embedder = { kind: 'given', dimensions: 3, model: 'mine', pooling: 'mean' }
  const made = await service.must('POST', '/cortex/indices', { name: 'g', settings: { embedder } })
  expect(made).toMatchObject({
    warnings: [
      'settings.embedder.model: recorded, not honoured; only the vectors of an endpoint are told apart by it.',
      'settings.embedder.pooling: recorded, not honoured.',
    ],
  })
  expect(await service.must('GET', '/cortex/indices/g')).toMatchObject({ settings: { embedder } })
})
