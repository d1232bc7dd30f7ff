import { ServiceError } from '../../errors.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { type BulkAnswer, type BulkItemReply, openBulkAnswer } from './bulk-answer.ts'
import type { Read } from './bulk-item.ts'
import { openRefusals, refusalOf } from './bulk-refusals.ts'
import type { Turn } from './document-writes.ts'
import type { Documents } from './documents.ts'

export interface GroupOptions {
  /** Index of items that name none. */
  index: string | undefined
  refresh: boolean
  noteDone?: NoteDone | undefined
  isLate?: (() => boolean) | undefined
}

/** Groups that are under way at a time. */
const GROUPS_UNDER_WAY = 3

/**
 * Writes items in groups, of which a few are under way at a time, and decided in their order. `answer` throws what refused
 * the first group where each was refused.
 */
export function openGroups(documents: Documents, options: GroupOptions) {
  const { add, answer } = openBulkAnswer()
  const { settled, refuseWhole } = openRefusals(options.index)
  /** What became of the groups so far. */
  let added: Promise<void> = Promise.resolve()
  const underWay = new Set<Promise<unknown>>()
  let handedOver: Promise<unknown> = Promise.resolve()
  return {
    /** Resolves when the next one may come. */
    write: async (items: Read[]): Promise<void> => {
      while (underWay.size >= GROUPS_UNDER_WAY) await Promise.race(underWay)
      const come = handedOver
      let pass = (): void => undefined
      handedOver = new Promise<void>((resolve) => {
        pass = resolve
      })
      const group = writeGroup(documents, items, options, { come, pass })
      // A group of which nothing was written still waits for those before it.
      const settle = (): void => void come.then(pass)
      group.then(settle, settle)
      added = Promise.all([settled(group, items), added]).then(([replies]) => add(replies))
      // It is told of when all have come.
      added.catch(() => undefined)
      underWay.add(group)
      const forget = (): void => void underWay.delete(group)
      group.then(forget, forget)
    },
    answer: async (): Promise<BulkAnswer> => {
      await added
      refuseWhole()
      return answer()
    },
  }
}

async function writeGroup(
  documents: Documents,
  read: Read[],
  { index, refresh, noteDone, isLate }: GroupOptions,
  turn?: Turn,
): Promise<BulkItemReply[]> {
  const own = { refresh, noteDone, isLate }
  const options = turn === undefined ? own : { ...own, turn }
  const outcomes = await documents.bulk(read, index, options)
  return outcomes.map((outcome, at) =>
    outcome instanceof ServiceError
      ? refusalOf(read[at] as Read, outcome, index)
      : { status: 200, ...outcome },
  )
}
