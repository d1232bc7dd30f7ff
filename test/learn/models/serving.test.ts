import { expect, it } from 'vitest'
import { openRankingModels } from '../../../src/learn/models/ranking-models.ts'
import { openServing } from '../../../src/learn/models/serving.ts'
import type { Versions } from '../../../src/learn/models/versions.ts'
import type { Pool } from '../../../src/threads/pool.ts'

it('a version that can not be loaded is tried again after a minute, and said to be so once', async () => {
  let [nowMs, loads] = [0, 0]
  const failures: string[] = []
  const run = (async () => {
    loads += 1
    return { servable: false, reasons: ['It has no weights.'] }
  }) as unknown as Pool['run']
  const serving = openServing({
    ...{ pool: { run }, dataDir: '', clock: () => nowMs, depthOf: () => undefined },
    onFailure: ({ modelId }, reason) => failures.push(`${modelId}: ${reason}`),
  })
  const wanted = async () => {
    for (let search = 0; search < 3; search += 1) {
      expect(serving.want({ modelId: 'm', version: 1 })).toBeUndefined()
      await new Promise(setImmediate)
    }
    return loads
  }
  expect(await wanted()).toBe(1)
  nowMs = 60_000
  expect(await wanted()).toBe(1)
  nowMs += 1
  expect(await wanted()).toBe(2)
  // Set back, the clock does not show that minute again.
  nowMs -= 1_000_000
  expect(await wanted()).toBe(3)
  expect(failures).toEqual(['m: It has no weights.'])
})

it('of many versions the least used goes, but for those that rank', async () => {
  const run = (async () => ({ servable: true, reasons: [] })) as unknown as Pool['run']
  const serving = openServing({
    ...{ pool: { run }, dataDir: '', clock: () => 0, depthOf: () => undefined },
    onFailure: () => {},
  })
  serving.pin(['m@1'])
  for (let version = 1; version <= 40; version += 1) await serving.load({ modelId: 'm', version })
  const { loaded } = serving.figures()
  expect(loaded).toContain('m@1')
  expect(loaded).not.toContain('m@2')
  expect(loaded).toContain('m@40')
  expect(serving.dropped().length).toBeGreaterThan(0)
})

it('a version that is still read from goes after others, and is loaded anew under another handle', async () => {
  const run = (async () => ({ servable: true, reasons: [] })) as unknown as Pool['run']
  const serving = openServing({
    ...{ pool: { run }, dataDir: '', clock: () => 0, depthOf: () => undefined },
    onFailure: () => {},
  })
  const version = (number: number) => serving.load({ modelId: 'm', version: number })
  const [first, second] = [await version(1), await version(2)]
  for (let number = 3; number <= 32; number += 1) await version(number)
  expect(serving.stillServed(first)).toBe(first)
  await version(33)
  expect(serving.stillServed(second)).toBeUndefined()
  expect(serving.stillServed(first)).toBe(first)
  const anew = await version(2)
  expect(anew.handle).not.toBe(second.handle)
  expect(serving.stillServed(second)).toBe(anew)
})

it('what the end of the service keeps from being loaded is no failure', async () => {
  const failures: string[] = []
  const run = (async () => {
    throw new Error('the threads have ended')
  }) as unknown as Pool['run']
  const serving = openServing({
    ...{ pool: { run }, dataDir: '', clock: () => 0, depthOf: () => undefined },
    onFailure: ({ modelId }, reason) => failures.push(`${modelId}: ${reason}`),
  })
  serving.want({ modelId: 'm', version: 1 })
  serving.close()
  await new Promise(setImmediate)
  expect(failures).toEqual([])
  expect(serving.figures().failed).toHaveLength(1)
})

it('who waits for the model of a name finds it loaded; one that can not be is not waited for', async () => {
  const run = (async (_: string, { source }: { source: { version: number } }) => {
    await new Promise(setImmediate)
    return { servable: source.version === 1, reasons: ['It has no weights.'] }
  }) as unknown as Pool['run']
  const serving = openServing({
    ...{ pool: { run }, dataDir: '', clock: () => 0, depthOf: () => undefined },
    onFailure: () => {},
  })
  const find = (name: { modelId: string }) =>
    name.modelId === 'm' ? { ...name, servable: true, unfinished: false } : undefined
  const versions = { find, of: () => [], standing: () => ({ earlier: [], trials: 0 }) }
  const models = openRankingModels({ versions: versions as unknown as Versions, serving })
  expect(models.namedModel('m@1')).toBeUndefined()
  await models.loadModel('m@1')
  expect(models.namedModel('m@1')).toMatchObject({ name: 'm@1' })
  await models.loadModel('m@2')
  expect(models.namedModel('m@2')).toBeUndefined()
  await models.loadModel('unknown')
})
