import { expect, it } from 'vitest'
import {
  type BulkItemReply,
  bulkAnswerJson,
  openBulkAnswer,
} from '../../../src/search/documents/bulk-answer.ts'
import { countTurns } from '../../count-turns.ts'

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

it('a long answer is written in slices: others have their turns meanwhile', async () => {
  const item = {
    status: 404,
    id: 'é',
    code: 'DOCUMENT_NOT_FOUND',
    error: 'There is no such "document".',
  }
  const items = Array.from({ length: 200_000 }, () => item)
  const made = { items, omitted: 3, succeeded: 0, failed: 200_003 }
  const { turns, value: json } = await countTurns(() => bulkAnswerJson(made))
  expect(turns).toBeGreaterThan(3)
  expect(Buffer.from(json).toString()).toBe(JSON.stringify(made))
  const none = { items: [], succeeded: 0, failed: 0 }
  expect(Buffer.from(await bulkAnswerJson(none)).toString()).toBe(JSON.stringify(none))
})
