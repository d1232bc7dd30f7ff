import { seeded } from '../../learn/statistics/random.ts'
import { isObject } from '../../object.ts'
import { crowd, glancingFor } from './people.ts'
import type { Stage } from './stage.ts'

const QUERY = 'convert a value to a string'
const WANTED_PLACE = 5
const SEED = 1

/** Shows a test of two rankings that the better one wins, by an interval that may be read at any time. */
export async function showTest(stage: Stage): Promise<void> {
  stage.heading(`5. An A/B test with a planted winner · "${QUERY}"`)
  const { hits } = await stage.search(QUERY)
  const wanted = hits[WANTED_PLACE - 1]?.id ?? ''
  stage.list('What control shows', hits, wanted)
  stage.say('')
  stage.say(
    'People come for the marked document; one variant shows it first. Nothing else is learned:',
  )
  const created = await stage.show('/cortex/ab-test/create', {
    name: 'wanted first',
    variants: [
      { id: 'control', config: { learning: false } },
      { id: 'wanted-first', config: { learning: false, pins: [wanted] } },
    ],
    successMetrics: ['ctr'],
  })
  const { testId } = created.data
  const people = stage.people * 2
  stage.say(
    `${people} people look at position p with probability 1/p, and click it when they see it …`,
  )
  const clicks = await crowd(stage, people, {
    query: () => QUERY,
    choose: glancingFor(wanted, seeded(SEED)),
  })
  const { data } = await stage.show(`/cortex/ab-test/${testId}`)
  const comparisons = Array.isArray(data.comparisons) ? data.comparisons.filter(isObject) : []
  const ctr = comparisons.find(({ metric }) => metric === 'ctr') ?? {}
  const units = isObject(ctr.units) ? ctr.units : {}
  const always = isObject(ctr.alwaysValid) ? ctr.alwaysValid : {}
  const percent = (share: unknown) => `${(100 * Number(share)).toFixed(1)} %`
  stage.say(`control       ${percent(ctr.control)} of ${units.control} people clicked`)
  stage.say(`wanted-first  ${percent(ctr.treatment)} of ${units.treatment} people clicked`)
  stage.say(
    `difference    ${percent(ctr.difference)}, always-valid 95 % interval ${percent(always.low)} … ${percent(always.high)}`,
  )
  const counted =
    Number(ctr.control) * Number(units.control) + Number(ctr.treatment) * Number(units.treatment)
  const ratio = isObject(data.sampleRatio) ? data.sampleRatio : {}
  stage.say(`sample ratio  ${ratio.status}`)
  const verdict = isObject(data.verdict) ? data.verdict : {}
  stage.check(
    Number(units.control) + Number(units.treatment) === people && Math.round(counted) === clicks,
    `everybody was counted once: ${people} people, ${clicks} clicks`,
  )
  stage.check(Number(always.low) > 0, 'the interval excludes zero, however often it is read')
  stage.check(
    verdict.decision === 'VARIANT' && verdict.variantId === 'wanted-first',
    `the verdict: ${verdict.decision ?? data.withheld} ${verdict.variantId ?? ''}`,
  )
}
