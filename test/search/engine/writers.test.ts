import { expect, it } from 'vitest'
import { roomForWriter } from '../../../src/search/engine/durability.ts'
import type { EngineState } from '../../../src/search/engine/engine-state.ts'

/** Indices of which so many give up their writer, and what ends the first of these. */
function retiring(count: number) {
  const ends: (() => void)[] = []
  const states = new Map(
    Array.from({ length: count }, (_, engineId) => {
      const state: { retiring: Promise<void> | undefined } = { retiring: undefined }
      state.retiring = new Promise<void>((resolve) => ends.push(resolve)).then(() => {
        state.retiring = undefined
      })
      return [engineId, state] as const
    }),
  )
  const engine = { states, config: { openWritersMax: 3 } } as unknown as EngineState
  return { engine, endOne: () => ends.shift()?.() }
}

async function isWaiting(room: Promise<void>): Promise<boolean> {
  return Promise.race([
    room.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(resolve, 5, true)),
  ])
}

it('an index is opened to be written to once fewer give up their writer than may have one', async () => {
  const { engine, endOne } = retiring(4)
  const room = roomForWriter(engine)
  expect(await isWaiting(room)).toBe(true)
  endOne()
  expect(await isWaiting(room)).toBe(true)
  endOne()
  expect(await isWaiting(room)).toBe(false)
})

it('nothing is waited for while few give up theirs', async () => {
  expect(await isWaiting(roomForWriter(retiring(2).engine))).toBe(false)
})
