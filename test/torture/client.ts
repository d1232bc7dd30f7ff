import type { Reply, Service } from '../../bench/service.ts'
import type { Random } from '../../bench/synthetic.ts'
import type { Promises, SessionPromise, Told } from './promises.ts'

/** One client of the learning side, with sessions, signals and counters of its own. */
export interface Client {
  promises: Promises
  service: Service
  random: Random
  number: number
  session: SessionPromise | undefined
  /** Requests left in the session. */
  left: number
  /** The last feedback that was acknowledged, to be sent again. */
  last: Told | undefined
  refused: Record<string, number>
  /** Answers that must not be. */
  wrong: string[]
}

/** True for 200; anything else is counted, and what was sent stays undecided. */
export function accept(client: Client, reply: Reply): boolean {
  if (reply.status !== 200) refuse(client, reply)
  else client.promises.acknowledged += 1
  return reply.status === 200
}

/** What was refused may have happened or not. */
export function refuse({ refused }: Client, { status, code = String(status) }: Reply): void {
  refused[code] = (refused[code] ?? 0) + 1
}

/** An answer that must not be. */
export function complain({ wrong }: Client, sentence: string | undefined): void {
  if (sentence !== undefined) wrong.push(sentence)
}
