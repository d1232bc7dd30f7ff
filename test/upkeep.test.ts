import { type Logger, pino } from 'pino'
import { it } from 'vitest'
import { startUpkeep } from '../src/upkeep.ts'
import { eventually } from './running-app.ts'

it('a task that fails, however it does, keeps neither the others nor the next round', async () => {
  let turns = 0
  const log: Logger = pino({ level: 'silent' })
  const upkeep = startUpkeep(1, log, [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
    async () => {
      turns += 1
    },
  ])
  await eventually(() => turns >= 2)
  await upkeep.stop()
})
