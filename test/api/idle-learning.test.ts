import { expect, it } from 'vitest'
import { startApp } from '../running-app.ts'

const state = {
  weights: [1],
  bias: 0,
  scaler: { mean: [0], std: [1] },
  featureNames: ['textScore'],
}

it('a model that is activated while learning is off is said to rank nothing', async () => {
  const running = await startApp({ LEARNING: 'false' })
  try {
    const sync = (more: object = {}) =>
      running.must('POST', '/nous/learn/models/sync', { modelId: 'idle', state, ...more })
    const activate = () => running.must('POST', '/nous/learn/models/idle/activate')
    const warnings = ['LEARNING is off: the active model ranks nothing.']
    expect(await sync()).not.toHaveProperty('warnings')
    expect(await activate()).toMatchObject({ status: 'ACTIVE', unchanged: false, warnings })
    expect(await sync({ activate: true })).toMatchObject({ warnings })
    await running.restart({ LEARNING: 'true' })
    expect(await activate()).not.toHaveProperty('warnings')
  } finally {
    await running.close()
  }
})

it.each([
  ['/cortex/ab-test', '/cortex/ab-test/'],
  ['/nous/experiments', '/nous/experiments/'],
])(
  'what is created by POST %s while learning is off is said to count no search',
  async (path, read) => {
    const running = await startApp({ LEARNING: 'false' })
    try {
      const create = (name: string) =>
        running.must('POST', path, { name, type: 'x', variants: [{ id: 'a' }, { id: 'b' }] })
      const created = (await create('idle')) as Record<string, string>
      expect(created.warnings).toContain(
        'LEARNING is off: variants are shown, but no search counts, only values that are reported do.',
      )
      await running.restart({ LEARNING: 'true' })
      const id = created.testId ?? created.experimentId
      expect(JSON.stringify(await running.must('GET', `${read}${id}`))).not.toContain('LEARNING')
      expect(JSON.stringify(await create('busy'))).not.toContain('LEARNING')
    } finally {
      await running.close()
    }
  },
)
