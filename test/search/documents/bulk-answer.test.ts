import { expect, it } from 'vitest'
import { type BulkItemReply, openBulkAnswer } from '../../../src/search/documents/bulk-answer.ts'

const written = (n: number) => ({ status: 200, id: `${n}` }) as BulkItemReply
const refused = (n: number) => ({ status: 400, id: `${n}`, code: 'X', error: 'is wrong' })
const idsOf = (items: readonly BulkItemReply[]) => items.map(({ id }) => id)

it('an answer lists all items, in their order', () => {
  const { add, answer } = openBulkAnswer()
  add([written(1), refused(2)])
  add([written(3)])
  expect(answer()).toEqual({
    items: [written(1), refused(2), written(3)],
    succeeded: 2,
    failed: 1,
  })
})

it('of a body with very many items, those behind the first are listed when they failed', () => {
  const { add, answer } = openBulkAnswer({ listed: 3, failures: 2 })
  add([written(1), refused(2), written(3), written(4)])
  add([refused(5), written(6), refused(7), refused(8)])
  const { items, ...counts } = answer()
  expect(idsOf(items)).toEqual(['1', '2', '3', '5', '7'])
  expect(counts).toEqual({ omitted: 3, succeeded: 4, failed: 4 })
})
