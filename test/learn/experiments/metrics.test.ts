import { expect, it } from 'vitest'
import { COUNTS } from '../../../src/learn/experiments/metrics.ts'
import { openLaboratory } from './laboratory.ts'

it('what is counted of a unit keeps its place: stored rows are read by it, so new ones go to the end', () => {
  expect(COUNTS).toEqual([
    'searches',
    'clicked',
    'reciprocal',
    'empty',
    'converted',
    'tookMs',
    'ratings',
    'rated',
    'decided',
    'wins',
  ])
})

it('everything that a unit has a place for is counted in it', async () => {
  const lab = openLaboratory()
  const { testId } = await lab.create('test', { mode: 'interleaving' })
  const member = await lab.session('ann')
  const interleaved = { testId, seed: 1, teams: 'bbbbaaaaabab' }
  const [chosen = ''] = [{}, { total: 0 }, {}].map((more) =>
    lab.searchIn(member, { interleaved, ...more }),
  )
  await lab.click(member, chosen, 'a')
  await lab.tell(member, chosen, 'b', { userAction: 'purchase' }, 1)
  await lab.get('test', testId)
  const [row] = [...lab.store.tables.experimentUnits.range()]
  const counted = Object.fromEntries(COUNTS.map((name, at) => [name, row?.value.counts[at]]))
  for (const name of COUNTS) expect(counted[name], name).toBeGreaterThan(0)
})
