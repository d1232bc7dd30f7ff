import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { draftExperiment } from '../../../src/learn/experiments/draft.ts'
import { missingModels } from '../../../src/learn/experiments/exact-models.ts'
import { openLaboratory } from './laboratory.ts'

it('A model that is not there is told of, of a variant and of the fallback alike', () => {
  const sent = {
    name: 'n',
    type: 'model_config',
    variants: [{ id: 'a' }, { id: 'b', config: { model: 'known' } }],
    guardrails: { ctr: 0.1 },
    fallbackConfig: { model: 'unknown' },
  }
  const record = draftExperiment('experiment', sent, 'id', 1000)
  const served = (names: string[]) => (name: string) => (names.includes(name) ? name : undefined)
  expect(missingModels(record, served(['known', 'unknown']))).toEqual([])
  expect(missingModels(record, served(['known']))).toEqual([
    expect.stringMatching(/^fallbackConfig: its model is not served/),
  ])
  expect(missingModels(record, served(['unknown']))).toEqual([
    expect.stringMatching(/^variant b: its model is not served/),
  ])
})

it('models of what runs are asked for when the service is opened, before anybody searches', async () => {
  const lab = openLaboratory()
  const sent = { variants: [{ id: 'a' }, { id: 'b', config: { model: 'm@2' } }] }
  await lab.create('experiment', { ...sent, type: 'model_config' })
  const over = { variants: [{ id: 'a' }, { id: 'b', config: { model: 'over@1' } }] }
  const { testId } = await lab.create('test', over)
  await lab.experiments.steer('test', testId, 'stop')
  const asked: string[] = []
  await lab.reopen((name) => {
    asked.push(name)
    return name
  })
  expect(asked).toEqual(['m@2'])
})

it('a test is answered, or resumed, once the models of its variants are loaded', async () => {
  const steps: string[] = []
  const lab = openLaboratory(undefined, undefined, async (name) => {
    await setImmediate()
    steps.push(name)
  })
  const { testId } = await lab.create('test', {
    variants: [
      { id: 'a', config: { model: 'm@1' } },
      { id: 'b', config: { model: 'm@2' } },
    ],
  })
  steps.push('created')
  await lab.experiments.steer('test', testId, 'pause')
  steps.push('paused')
  await lab.experiments.steer('test', testId, 'resume')
  expect(steps).toEqual(['m@1', 'm@2', 'created', 'paused', 'm@1', 'm@2'])
})
