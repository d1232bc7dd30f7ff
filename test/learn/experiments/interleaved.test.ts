import { describe, expect, it } from 'vitest'
import { type Answered, type Laboratory, openLaboratory } from './laboratory.ts'

const INTERLEAVED = { mode: 'interleaving', rolloutStrategy: { type: 'immediate' } }

const report = (lab: Laboratory, sent: object) =>
  lab.experiments.record({ metrics: { errors: 2 }, ...sent } as never) as Promise<Answered>

describe('values that are reported of an interleaved experiment', () => {
  it('count for the one list that everybody sees, whichever variant is named', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', INTERLEAVED)
    for (let n = 0; n < 20; n += 1) {
      const variantId = [undefined, 'a', 'b', '@interleaved'][n % 4]
      const sent = {
        experimentId,
        unit: `u${n}`,
        ...(variantId === undefined ? {} : { variantId }),
      }
      const answer = await report(lab, sent)
      expect(answer).toMatchObject({ recorded: 1, variantId: '@interleaved' })
      expect(answer).not.toHaveProperty('warnings')
    }
    const { metrics } = await lab.get('experiment', experimentId)
    expect(metrics['@interleaved'].reported).toEqual({ errors: { mean: 2, values: 20, units: 20 } })
    expect(await lab.experiments.forget('u1')).toBe(1)
    const { metrics: left } = await lab.get('experiment', experimentId)
    expect(left['@interleaved'].reported).toEqual({ errors: { mean: 2, values: 19, units: 19 } })
  })

  it('are held against its guardrails, whosever they are', async () => {
    const lab = openLaboratory()
    const guardrails = [{ metric: 'errors', operator: 'gt', threshold: 1, minSamples: 20 }]
    const { experimentId } = await lab.create('experiment', { ...INTERLEAVED, guardrails })
    for (let n = 0; n < 19; n += 1)
      expect(await report(lab, { experimentId, unit: `u${n}` })).toMatchObject({ status: 'ACTIVE' })
    expect(await report(lab, { experimentId, unit: 'u19' })).toMatchObject({
      status: 'ROLLED_BACK',
      monitoring: { guardrails: [{ variantId: '@interleaved', samples: 20, status: 'BREACHED' }] },
    })
  })

  it('count of who searched, whatever the session has said since', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', INTERLEAVED)
    const session = await lab.session('u')
    lab.searchIn(session)
    await lab.get('experiment', experimentId)
    const table = lab.store.tables.experiments
    const stored = table.get(experimentId)!
    const targeting = [{ field: 'plan', operator: 'any' as const, values: ['pro'] }]
    await lab.store.write(() => table.put(experimentId, { ...stored, targeting }))
    const later = await lab.reopen()
    expect(await report(later, { experimentId, unit: 'u' })).toMatchObject({ recorded: 1 })
    expect(await report(later, { experimentId, unit: 'v' })).toMatchObject({
      recorded: 0,
      variantId: 'a',
    })
  })

  it('are of no list where each unit sees one variant', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {})
    const sent = { experimentId, unit: 'u', variantId: '@interleaved' }
    await expect(report(lab, sent)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })
})

it('An interleaved experiment that was taken back no longer counts who gets its fallback', async () => {
  const lab = openLaboratory()
  const { experimentId } = await lab.create('experiment', {
    ...INTERLEAVED,
    guardrails: { errors: 1 },
    fallbackConfig: { pins: ['c'] },
  })
  const early = await lab.session('early')
  lab.searchIn(early)
  const { metrics } = await lab.get('experiment', experimentId)
  expect(metrics['@interleaved']).toMatchObject({ units: 1, searches: 1, ctr: 0 })
  expect(await report(lab, { experimentId, sessionId: early })).toMatchObject({
    status: 'ROLLED_BACK',
  })
  for (const session of [early, await lab.session('late')])
    await lab.click(session, lab.searchIn(session), 'a')
  const after = await lab.get('experiment', experimentId)
  expect(after).toMatchObject({ fallbackInForce: true, monitoring: { sampleSize: 1 } })
  expect(after.metrics['@interleaved']).toMatchObject({ units: 1, searches: 1, ctr: 0 })
})

it('Guardrails that compare with control are said to be never breached in an interleaved list', async () => {
  const lab = openLaboratory()
  const guardrails = [
    { metric: 'ctr', operator: 'drop', threshold: 0.1 },
    { metric: 'zeroResultRate', threshold: 0.5 },
  ]
  const said = /^guardrails: ctr .*control/
  const { warnings } = await lab.create('experiment', { ...INTERLEAVED, guardrails })
  expect(warnings).toEqual([expect.stringMatching(said)])
  expect(await lab.create('experiment', { guardrails })).not.toHaveProperty('warnings')
})
