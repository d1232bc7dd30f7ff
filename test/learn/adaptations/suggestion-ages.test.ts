import { expect, it, vi } from 'vitest'
import { openSuggestionAges } from '../../../src/learn/adaptations/suggestion-ages.ts'
import type { SuggestionSteps } from '../../../src/learn/adaptations/suggestion-steps.ts'
import { RELEARNING } from '../../../src/learn/loop/fold.ts'
import type { SuggestionRecord } from '../../../src/schema/adaptation-record.ts'
import { temporaryStore } from '../../store/open.ts'

it('a round ends where a fold anew begins in between: what is left is judged once that is whole', async () => {
  const store = temporaryStore()
  const { meta, suggestions } = store.tables
  await store.write(() => {
    for (const suggestionId of ['a', 'b', 'c'])
      suggestions.put(suggestionId, {
        ...{ suggestionId, status: 'PENDING', source: 'client', createdMs: 1, updatedMs: 1 },
      } as SuggestionRecord)
  })
  let isAnew = false
  const read = meta.get
  vi.spyOn(meta, 'get').mockImplementation((key) =>
    key === RELEARNING && isAnew ? { sequence: 1 } : read(key),
  )
  const judged: string[] = []
  const ages = openSuggestionAges({
    ...{ store, config: { retentionMs: 1000 }, steps: {} as SuggestionSteps },
    derive: ({ suggestionId }) => {
      judged.push(suggestionId)
      isAnew = judged.length === 2
      // so long that others have a turn
      for (const endMs = performance.now() + 5; performance.now() < endMs; );
      return { changes: undefined, description: 'nothing yet' }
    },
  })
  await ages.tick(2)
  expect(judged).toEqual(['a', 'b'])
  await ages.tick(2)
  expect(judged).toEqual(['a', 'b', 'a', 'b', 'c'])
})
