import { expect, it } from 'vitest'
import type { Exchange, Outflow } from '../../src/http/exchange.ts'
import { stream } from '../../src/http/route.ts'
import { openStreams } from '../../src/http/stream.ts'
import { waitUntil } from '../wait-until.ts'

const PIECES = ['one', 'two', 'three']
const FILLER = ':\n\n'

/** A client whose system tells of no room by itself; asked, it has room or none. */
async function follow(hasRoom: () => boolean): Promise<{ written: string[]; ending: string }> {
  const written: string[] = []
  let ending = ''
  const outflow: Outflow = {
    write: (piece) => {
      written.push(piece)
      return piece === FILLER && hasRoom()
    },
    onReady: () => {},
    end: () => {
      ending ||= 'end'
    },
    cut: () => {
      ending ||= 'cut'
    },
  }
  const exchange = { begin: () => outflow, onLeave: () => {} } as Partial<Exchange> as Exchange
  const streams = openStreams({ eventStreamsMax: 1, eventStreamStallMs: 200 }, () => {})
  const pieces = async function* () {
    yield* PIECES
  }
  streams.start(exchange, stream('text/event-stream', FILLER, pieces), [])
  await waitUntil(() => streams.count() === 0)
  return { written, ending }
}

it('a client that reads slowly gets all, though its system tells of room too late', async () => {
  const { written, ending } = await follow(() => true)
  expect(written).toEqual(PIECES.flatMap((piece) => [piece, FILLER]))
  expect(ending).toBe('end')
})

it('a client that takes nothing is cut off, after some questions', async () => {
  const { written, ending } = await follow(() => false)
  expect(written.length).toBeGreaterThan(2)
  expect(new Set(written)).toEqual(new Set(['one', FILLER]))
  expect(ending).toBe('cut')
})
