import { openBreath } from '../../breath.ts'
import type { Written } from './document-writes.ts'

/** One line of a bulk answer, in the order of the request. */
export type BulkItemReply =
  | ({ status: number } & Written)
  | { status: number; id?: string; index?: string; code: string; error: string }

export interface BulkAnswer {
  items: BulkItemReply[]
  /** Items that are counted and not listed; absent when all are listed. */
  omitted?: number
  succeeded: number
  failed: number
}

/** Items that an answer lists, whatever became of them. */
const LISTED_MAX = 200_000
/** Failures that an answer lists of the items behind those. */
const FAILURES_MAX = 100_000
/** Items whose warnings it tells: in a long body they are most likely all the same. */
const ITEMS_TOLD_MAX = 8

/** Gathers what became of items, in their order: a body may have more of them than one answer can hold. */
export function openBulkAnswer(limits = { listed: LISTED_MAX, failures: FAILURES_MAX }) {
  const items: BulkItemReply[] = []
  let all = 0
  let failed = 0
  let failuresLeft = limits.failures
  let toldLeft = ITEMS_TOLD_MAX

  function add(reply: BulkItemReply): void {
    if ('warnings' in reply && toldLeft-- <= 0) delete reply.warnings
    const isFailure = 'error' in reply
    all += 1
    failed += isFailure ? 1 : 0
    if (all > limits.listed) {
      if (!isFailure || failuresLeft === 0) return
      failuresLeft -= 1
    }
    items.push(reply)
  }
  return {
    add: (replies: readonly BulkItemReply[]) => {
      for (const reply of replies) add(reply)
    },
    answer: (): BulkAnswer => {
      const omitted = all - items.length
      return { items, ...(omitted === 0 ? {} : { omitted }), succeeded: all - failed, failed }
    },
  }
}

/** Items that become JSON in one go. */
const SLICE_ITEMS = 1000

/** The answer as UTF-8 JSON, written in slices: one of some hundred thousand items takes a quarter of a second. */
export async function bulkAnswerJson({ items, ...rest }: BulkAnswer): Promise<Uint8Array> {
  const breathe = openBreath()
  const pieces = [Buffer.from('{"items":[')]
  for (let at = 0; at < items.length; at += SLICE_ITEMS) {
    const json = JSON.stringify(items.slice(at, at + SLICE_ITEMS)).slice(1, -1)
    pieces.push(Buffer.from(at === 0 ? json : `,${json}`))
    await breathe()
  }
  pieces.push(Buffer.from(`],${JSON.stringify(rest).slice(1)}`))
  return Buffer.concat(pieces)
}
