import { type Logger, pino } from 'pino'
import { expect, it } from 'vitest'
import { startUpkeep } from '../src/upkeep.ts'
import { closedGate } from './gate.ts'
import { waitUntil } from './wait-until.ts'

const log: Logger = pino({ level: 'silent' })

it('a task that fails, however it does, keeps neither the others nor the next round', async () => {
  let turns = 0
  const upkeep = startUpkeep(1, log, [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
    async () => {
      turns += 1
    },
  ])
  await waitUntil(() => turns >= 2)
  await upkeep.stop()
})

it('a task that goes on failing is told of once, and when it is over', async () => {
  const said: unknown[] = []
  const say = (...words: unknown[]) => void said.push(words.at(-1))
  let turns = 0
  const failing = async () => {
    turns += 1
    if (turns < 4) throw new Error('full')
  }
  const upkeep = startUpkeep(1, { error: say, info: say } as unknown as Logger, [failing])
  await waitUntil(() => turns >= 5)
  await upkeep.stop()
  expect(said).toEqual(['background upkeep', 'background upkeep that failed goes on'])
})

it('who stops it waits for the task under way, and no other begins', async () => {
  const begun: string[] = []
  const end = closedGate()
  const upkeep = startUpkeep(1, log, [
    async () => {
      begun.push('slow')
      await end.opened
    },
    async () => void begun.push('next'),
  ])
  await waitUntil(() => begun.length > 0)
  let hasStopped = false
  const stopping = upkeep.stop().then(() => {
    hasStopped = true
  })
  await new Promise(setImmediate)
  expect(hasStopped).toBe(false)
  end.open()
  await stopping
  expect(begun).toEqual(['slow'])
})
