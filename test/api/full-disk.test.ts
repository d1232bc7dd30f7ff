import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../running-app.ts'
import { smallDisk } from '../small-disk.ts'
import { waitUntil } from '../wait-until.ts'

const MEGABYTES = 32
/** What removals need of the reserve, a twentieth of the disk (store/space.ts). */
const NEEDED_BYTES = (MEGABYTES << 20) / 20 / 4
/** Documents of a request: large segments, which do not stay in memory. */
const BULK = 40
/** In which an index is written to its files several times, if it is. */
const CHECKPOINTS_MS = 1000

/** Words that no other text has, so that an index has as much to write as the records. */
function strangeWords(bytes: number): string {
  const words = Array.from({ length: bytes / 8 }, () => Math.random().toString(36).slice(2, 9))
  return words.join(' ')
}

it('on a disk that indices would fill, a start, deletes and forgetting go on, and make room', async ({
  skip,
}) => {
  const disk = smallDisk(MEGABYTES)
  if (disk === undefined) return skip('mounting needs more rights')
  const { call, must, restart, close } = await startApp({
    DATA_DIR: join(disk, 'data'),
    CHECKPOINT_MS: '200',
  })
  onTestFinished(close)
  await must('POST', '/cortex/sessions', { userId: 'ann' })
  const ids: string[] = []
  for (let refusals = 0; refusals < 3; ) {
    const documents = Array.from({ length: BULK }, (_, at) => ({
      id: String(ids.length + at),
      document: { title: strangeWords(1 << 14) },
    }))
    const { status, data } = await call<{ items: { status: number; id: string }[] }>(
      'POST',
      '/cortex/documents/bulk?index=filler',
      { documents },
    )
    const written = data?.items.filter((item) => item.status === 200) ?? []
    ids.push(...written.map(({ id }) => id))
    if (written.length === BULK) continue
    expect([200, 507]).toContain(status)
    refusals += 1
    await new Promise((done) => setTimeout(done, CHECKPOINTS_MS))
  }
  const { bavail, bsize } = statfsSync(disk)
  expect(bavail * bsize).toBeGreaterThan(NEEDED_BYTES)
  await restart()
  const all = await must('POST', '/cortex/search', { query: '', index: 'filler', size: 0 })
  expect(all).toMatchObject({ total: ids.length })
  await must('DELETE', '/nous/learn/subjects/ann')
  for (const id of ids.slice(0, ids.length / 2))
    await must('DELETE', `/cortex/documents/${id}?index=filler`)
  const found = await must('POST', '/cortex/search', { query: '', index: 'filler', size: 0 })
  expect(found).toMatchObject({ total: Math.ceil(ids.length / 2) })
  await must('DELETE', '/cortex/indices/filler')
  const isRoom = async () => (await call('POST', '/cortex/sessions', {})).status === 200
  await waitUntil(isRoom, 50_000)
}, 300_000)
