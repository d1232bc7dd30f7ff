import { expect, it } from 'vitest'
import { openRoomReport } from '../../src/store/room-report.ts'
import { temporaryStore } from './open.ts'

function openTold() {
  const said: [object, string][] = []
  return {
    said,
    log: { warn: (...line: [object, string]) => void said.push(line), error: () => {} },
  }
}

it('tells once that a store is full, with its figures', async () => {
  const { said, log } = openTold()
  const store = temporaryStore({ bytesMax: 1 << 20, log })
  const { records } = store.tables
  const room = store.figures().roomBytes
  expect(room).toBeGreaterThan(0)
  expect(room).toBeLessThanOrEqual(1 << 20)
  const write = (n: number) =>
    store.write(() => records.put([1, n], Buffer.alloc(20_000, 1))).catch(() => undefined)
  for (let n = 0; n < 100; n++) await write(n)
  expect(said).toEqual([
    [
      {
        liveBytes: expect.any(Number),
        bytesMax: 1 << 20,
        diskRoomBytes: expect.any(Number),
      },
      expect.stringMatching(/^no room to write/),
    ],
  ])
  expect(store.figures().roomBytes).toBe(0)
})

it('tells once that there is room again, when that has lasted', () => {
  const { said, log } = openTold()
  let nowMs = 0
  const report = openRoomReport(
    log,
    () => ({}),
    () => nowMs,
  )
  const at = (ms: number, hasRoom: boolean) => {
    nowMs = ms
    report(hasRoom)
    return said.length
  }
  expect(at(0, true)).toBe(0)
  expect(at(1, false)).toBe(1)
  // Room that the next write takes again is none.
  for (let ms = 2; ms < 20_000; ms += 100) at(ms, ms % 200 === 2)
  expect(said.length).toBe(1)
  expect(at(31_000, true)).toBe(2)
  expect(at(32_000, true)).toBe(2)
  expect(said[1]?.[1]).toBe('there is room to write again')
  expect(at(33_000, false)).toBe(3)
})
