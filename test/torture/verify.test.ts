import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Reply, Service } from '../../bench/service.ts'
import { sharedFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'
import { type Oracle, openOracle, type Source } from './oracle.ts'
import { findBroken } from './verify.ts'
import { startWriting } from './writer.ts'

interface Search {
  query: string
  index: string
  searchType: string
  filters?: { tags: string }
}

/** A service that keeps everything in two maps and finds documents by their tags; a test breaks it by hand. */
function openFake() {
  const documents = new Map<string, Source>()
  /** What a search sees; the same object as in `documents` unless a test says otherwise. */
  const searchable: { key: string; source: Source }[] = []
  const withoutVector = new Set<string>()
  const sessions = new Set<string>()
  let numbers = 0
  const ok = (data: unknown): Reply => ({ status: 200, data })
  const missing: Reply = { status: 404, data: undefined, code: 'DOCUMENT_NOT_FOUND' }
  const save = (key: string, source: Source | undefined) => {
    const at = searchable.findIndex((one) => one.key === key)
    if (at >= 0) searchable.splice(at, 1)
    documents.delete(key)
    if (source === undefined) return
    const clean = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null))
    documents.set(key, clean as Source)
    searchable.push({ key, source: clean as Source })
  }
  const search = ({ query, searchType, filters }: Search) => {
    const hits = searchable
      .filter(({ key, source }) => {
        if (searchType === 'vector')
          return source.tags[0] === filters?.tags && !withoutVector.has(key)
        return query === '' || source.tags.includes(query)
      })
      .map(({ key, source }) => ({ id: key, source }))
    return ok({ hits, total: hits.length })
  }
  const service: Service = {
    call: async (method, path, body) => {
      await new Promise((resolve) => setImmediate(resolve))
      const id = /^\/cortex\/documents\/([^?]+)/.exec(path)?.[1] ?? ''
      if (path === '/cortex/search') return search(body as Search)
      if (path === '/cortex/sessions') {
        const sessionId = `session-${numbers++}`
        sessions.add(sessionId)
        return ok({ sessionId })
      }
      if (path.startsWith('/cortex/sessions/'))
        return sessions.has(path.slice('/cortex/sessions/'.length)) ? ok({}) : missing
      if (method === 'POST') {
        const made = `made-${numbers++}`
        save(made, (body as { document: Source }).document)
        return ok({ id: made })
      }
      const source = documents.get(id)
      if (method === 'GET') {
        if (source === undefined) return missing
        return ok({ source: structuredClone(source), vectorized: !withoutVector.has(id) })
      }
      save(id, method === 'DELETE' ? undefined : { ...source, ...(body as Source) })
      return ok({ id })
    },
    sendLines: async (_, rows) => {
      const items = rows as { id: string; op?: string; document: Source }[]
      for (const { id, op, document } of items) save(id, op === undefined ? document : undefined)
      return ok({ items: items.map(() => ({ status: 200 })) })
    },
    close: async () => undefined,
  }
  return { service, documents, searchable, withoutVector, sessions, save }
}

describe('the check after a kill', () => {
  const folder = sharedFolder()
  let fake: ReturnType<typeof openFake>
  let oracle: Oracle

  beforeEach(async () => {
    fake = openFake()
    oracle = openOracle(5, join(folder, 'acknowledged.log'))
    const writing = startWriting(oracle, fake.service, 't0')
    await waitUntil(() => oracle.acknowledged >= 400)
    writing.stop()
    await writing.ended
  })

  const live = () => {
    const entry = [...oracle.entries.values()].find(({ settled }) => settled !== undefined)
    if (entry?.settled === undefined) throw new Error('nothing lives')
    return { id: entry.id, source: entry.settled, entry }
  }
  const broken = () => findBroken(oracle, fake.service)

  it('finds nothing wrong with a service that keeps its word', async () => {
    expect(await broken()).toEqual([])
    expect(oracle.dead.length).toBeGreaterThan(0)
    expect(oracle.sessions.length).toBeGreaterThan(0)
  })

  it('finds a lost document', async () => {
    fake.save(live().id, undefined)
    expect((await broken()).join()).toContain(`${live().id}: by id undefined`)
  })

  it('finds a document that the index lost though the record is there', async () => {
    const { id } = live()
    const at = fake.searchable.findIndex(({ key }) => key === id)
    fake.searchable.splice(at, 1)
    const sentences = (await broken()).join()
    expect(sentences).toContain(`${id}: missing among everything`)
    expect(sentences).toContain(`${id}: found 0 times by text`)
  })

  it('finds a document that is there twice', async () => {
    const { id, source } = live()
    fake.searchable.push({ key: id, source })
    expect((await broken()).join()).toContain(`${id}: twice among everything`)
  })

  it('finds a document without its vector', async () => {
    const { id } = live()
    fake.withoutVector.add(id)
    const sentences = (await broken()).join()
    expect(sentences).toContain(`${id}: not vectorized`)
    expect(sentences).toContain(`${id}: found 0 times by vector`)
  })

  it('finds a deleted document that came back', async () => {
    const gone = [...oracle.entries.values()].find(({ settled }) => settled === undefined)
    if (gone === undefined) throw new Error('nothing was deleted')
    fake.save(gone.id, oracle.freshSource('back'))
    expect((await broken()).join()).toContain(`${gone.id}: by id`)
  })

  it('finds an older version that is still searchable', async () => {
    const [dead] = oracle.dead
    const { id, source } = live()
    fake.searchable.push({ key: id, source: { ...source, tags: ['old', dead?.stamp ?? ''] } })
    expect((await broken()).join()).toContain('a replaced or deleted version is still found')
  })

  it('finds a lost session', async () => {
    const lost = oracle.sessions.at(-1) ?? ''
    fake.sessions.delete(lost)
    expect(await broken()).toEqual([`session ${lost}: status 404`])
  })

  it('takes a write that was cut off either way, but nothing else', async () => {
    const { id, source, entry } = live()
    entry.pending = { outcome: oracle.freshSource(source.tags[0]) }
    expect(await broken()).toEqual([])
    const done = oracle.freshSource(source.tags[0])
    entry.pending = { outcome: done }
    fake.save(id, done)
    expect(await broken()).toEqual([])
    expect(entry.settled).toEqual(done)
    entry.pending = { outcome: undefined }
    fake.save(id, oracle.freshSource(source.tags[0]))
    expect((await broken()).length).toBeGreaterThan(0)
  })
})
