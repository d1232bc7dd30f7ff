import { createHash, type Hash } from 'node:crypto'
import type { ArrivingBody, KeptAnswer } from '../schema/answer.ts'
import { incomplete } from './body.ts'
import { wholeBody } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import { type Flight, metaOf } from './flight.ts'
import { asServiceError, type Prepared, prepareFailure } from './reply.ts'

/* Requests that came with an Idempotency-Key: what tells them apart, and which answers are kept. */

/** The key under which a POST's answer is kept; other methods can be repeated as they are. */
export function repeatKey(exchange: Exchange): string | undefined {
  return exchange.method === 'POST' ? exchange.header('idempotency-key') : undefined
}

/**
 * A hash that tells requests of one route apart: path parameters and query are as much a part of a request as its
 * body.
 */
export function hashRequest(exchange: Exchange, bytes: Uint8Array): string {
  return beginHash(exchange).update(bytes).digest('hex')
}

/**
 * As `hashRequest`, of a long body, which may hold the thread for a moment only: `breathe` is awaited between its
 * pieces.
 */
export async function hashPieces(
  exchange: Exchange,
  pieces: readonly Uint8Array[],
  breathe: () => Promise<void> | undefined,
): Promise<string> {
  const hash = beginHash(exchange)
  for (const piece of pieces) {
    hash.update(piece)
    await breathe()
  }
  return hash.digest('hex')
}

function beginHash({ parameters, query }: Exchange): Hash {
  return createHash('sha256').update(JSON.stringify([parameters, query]))
}

/**
 * As `hashRequest`, of a body that the route does not read. Rejects with BODY_INCOMPLETE when the client leaves, or the
 * answer goes out before.
 */
export function hashUnread(flight: Flight): Promise<string> {
  const { exchange } = flight
  const hash = beginHash(exchange)
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(incomplete())
    exchange.onLeave(giveUp)
    flight.dropBody = giveUp
    exchange.onBody((chunk, last) => {
      hash.update(chunk)
      if (last) resolve(hash.digest('hex'))
    })
  })
}

/** Passes the chunks of a body on and hashes them on their way, as `hashRequest` does. */
export function hashStream(
  exchange: Exchange,
  chunks: AsyncIterable<Uint8Array>,
): { stream: AsyncIterable<Uint8Array>; body: ArrivingBody } {
  const hash = beginHash(exchange)
  let hashed: string | undefined
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
    hashed = hash.digest('hex')
  }
  const stream = pass()
  const body: ArrivingBody = {
    hashed: () => hashed,
    hash: async () => {
      for await (const _ of stream);
      return hashed ?? ''
    },
  }
  return { stream, body }
}

/** A client's mistake is an answer worth keeping; trouble on our side is thrown, so that a retry is a new try. */
export async function keptAnswer(
  flight: Flight,
  produce: () => Prepared | Promise<Prepared>,
): Promise<KeptAnswer> {
  let prepared: Prepared
  try {
    prepared = await produce()
  } catch (cause) {
    const failure = asServiceError(cause, undefined)
    if (failure.status >= 500 || failure.status === 429) throw cause
    prepared = prepareFailure(failure, metaOf(flight))
  }
  const { status, body, headers, errorCode } = prepared
  return { status, body: wholeBody(body), headers, errorCode }
}
