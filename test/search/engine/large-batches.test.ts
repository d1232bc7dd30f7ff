import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

/** Every word another one: this takes the core a second, where a document of a few words takes milliseconds. */
const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `w${((from + n) * 7919).toString(36)}`).join(' ')

it('a giant of one index does not hold up writes of another', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  const put = (index: string, id: string, document: object) =>
    service.must('PUT', `/cortex/documents/${id}?index=${index}`, document)
  await put('a', 'small', { title: 'small' })
  await put('b', 'small', { title: 'small' })
  const done: string[] = []
  for (const round of [1, 2]) {
    const id = `g${round}`
    const giant = put('a', id, { title: 'giant', content: words(round * 1e6, 700_000) })
    const giantDone = giant.then(() => done.push(`giant ${round}`))
    // Its record is durable: the way into the core is all that is left.
    const isStored = async () =>
      (await service.call('GET', `/cortex/documents/${id}?index=a`)).status === 200
    await waitUntil(isStored)
    await put('b', 'small', { title: `small ${round}` })
    done.push(`small ${round}`)
    await giantDone
  }
  expect(done).toEqual(['small 1', 'giant 1', 'small 2', 'giant 2'])
  const { total } = await service.must('POST', '/cortex/search', { index: 'a', query: 'giant' })
  expect(total).toBe(2)
})
