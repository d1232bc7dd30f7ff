import { expect, it } from 'vitest'
import { openPages } from '../../src/learn/pages.ts'
import type { LearnedPlan } from '../../src/learn/plan.ts'
import type { SearchRequest } from '../../src/schema/search.ts'

function openCounted() {
  let made = 0
  return openPages(() => {
    made += 1
    return { rerankSize: made, exploration: { seed: made } } as LearnedPlan
  })
}

const first: SearchRequest = { query: 'one', sessionId: 'ann' }
const next: SearchRequest = { ...first, from: 10 }

it('what applied to the first page of a list applies to its next ones, but for the draw', () => {
  const plan = openCounted()
  expect(plan(first, 'one').exploration).toEqual({ seed: 1 })
  expect(plan(next, 'one')).toMatchObject({ rerankSize: 1, exploration: undefined })
  expect(plan({ ...first, cursor: 'after' }, 'one').rerankSize).toBe(1)
  expect(plan({ ...next, sessionId: 'bob' }, 'one').rerankSize).toBe(2)
  expect(plan(next, 'two').rerankSize).toBe(3)
  expect(plan(first, 'one').rerankSize).toBe(4)
  expect(plan(next, 'one').rerankSize).toBe(4)
})

it('a list is kept while ten thousand others begin, and not for ever', () => {
  const plan = openCounted()
  plan(first, 'one')
  for (let list = 0; list < 10_000; list += 1) plan(first, `other-${list}`)
  expect(plan(next, 'one').rerankSize).toBe(1)
  for (let list = 0; list < 10_000; list += 1) plan(first, `another-${list}`)
  expect(plan(next, 'one').rerankSize).toBe(20_002)
})
