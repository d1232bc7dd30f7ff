import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectRaw } from '../../http/stub.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

const MIB = 1 << 20
/** Room for one page, which is more than shared memory has room for and more than the system takes in for who reads nothing. */
const ROOM_BYTES = 60 * MIB
const BLOB = 'x'.repeat(4 * MIB)
const COUNT = 12

let service: RunningApp
beforeAll(async () => {
  service = await startApp({ ANSWERS_BYTES_MAX: `${ROOM_BYTES}` })
  await service.must('POST', '/cortex/indices', { name: 'long', mappings: { dynamic: false } })
  for (let at = 0; at < COUNT; at += 1)
    await service.must('POST', '/cortex/documents', {
      ...{ index: 'long', id: `d${at}`, document: { title: 'long', at, blob: BLOB } },
    })
})
afterAll(() => service.close())

const SEARCH = JSON.stringify({ index: 'long', query: 'long', size: COUNT })

const find = (coding = 'identity') =>
  fetch(`${service.url}/cortex/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': coding },
    body: SEARCH,
  })

/** A client that asks for a page and reads nothing of it. */
async function unread() {
  const { socket } = await connectRaw(Number(new URL(service.url).port))
  socket.pause()
  const head = ['POST /api/cortex/search HTTP/1.1', 'host: a', 'content-type: application/json']
  socket.write([...head, `content-length: ${SEARCH.length}`, '', SEARCH].join('\r\n'))
  return socket
}

const statusOf = async () => {
  const answer = await find()
  await answer.arrayBuffer()
  return answer.status
}

it.each(['identity', 'gzip', 'br'])(
  'a page that no shared memory has room for comes whole as %s',
  async (coding) => {
    const answer = await find(coding)
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding)
    const { data } = (await answer.json()) as {
      data: { hits: { source: { at: number; blob: string } }[] }
    }
    expect(data.hits.map(({ source }) => source.at).sort()).toEqual(
      expect.arrayContaining([0, 6, 11]),
    )
    expect(data.hits.every(({ source }) => source.blob === BLOB)).toBe(true)
  },
)

it('a page for which others leave no room is refused before it is made, and made once they do', async () => {
  const slow = await unread()
  // Asked before that one has its page, another would be the one that has room.
  await waitUntil(() => service.app.answers.refusal(ROOM_BYTES, 0) !== undefined, 50_000)
  const asked = vi.spyOn(service.app.pool, 'search')
  const answer = await find()
  const refused = (await answer.json()) as { code: string; error: string }
  expect([answer.status, answer.headers.get('retry-after'), refused.code]).toEqual([
    503,
    '10',
    'OVERLOADED',
  ])
  expect(refused.error).toContain('ANSWERS_BYTES_MAX')
  await expect(asked.mock.results[0]?.value).rejects.toMatchObject({ code: 'OVERLOADED' })
  asked.mockRestore()
  const { status } = await service.call('POST', '/cortex/search', { index: 'long', size: 1 })
  expect(status).toBe(200)
  slow.destroy()
  await waitUntil(async () => (await statusOf()) === 200, 50_000)
  // As often as one likes: each gives back what it took.
  for (let round = 0; round < 3; round += 1) expect(await statusOf()).toBe(200)
})

it('a client that leaves before its page is there takes no room', async () => {
  for (let round = 0; round < 3; round += 1) {
    const left = await unread()
    left.destroy()
    await waitUntil(async () => (await statusOf()) === 200, 50_000)
  }
})
