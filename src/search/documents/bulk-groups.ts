import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { type BulkAnswer, type BulkItemReply, openBulkAnswer } from './bulk-answer.ts'
import type { Read } from './bulk-item.ts'
import type { Turn, WriteOptions } from './document-writes.ts'
import type { Documents } from './documents.ts'

export interface GroupOptions {
  /** Index of items that name none. */
  index: string | undefined
  /** The one where the request names none either; what is refused is told with it. */
  defaultIndex?: string
  refresh: boolean
  noteDone?: NoteDone | undefined
  isLate?: (() => boolean) | undefined
}

/** Groups that are under way at a time. */
const GROUPS_UNDER_WAY = 3
/** How long items behind others wait for room, and between two looks for it. */
const ROOM_MS = 2000
const LOOK_MS = 50

/** Writes items in groups, of which a few are under way at a time, and decided in their order. */
export function openGroups(documents: Pick<Documents, 'bulk'>, options: GroupOptions) {
  const { add, answer } = openBulkAnswer()
  const bulk = inTurn(documents)
  /** What became of the groups so far. */
  let added: Promise<void> = Promise.resolve()
  const underWay = new Set<Promise<unknown>>()
  let handedOver: Promise<unknown> = Promise.resolve()
  /** What refused the first group. */
  let refusal: ServiceError | undefined
  let isAnyWritten = false

  /** A full disk may refuse the first group when the second is written already: whoever sent them must know which. */
  async function settled(group: Promise<BulkItemReply[]>, items: Read[]): Promise<BulkItemReply[]> {
    try {
      const replies = await group
      isAnyWritten ||= replies.some(({ status }) => status === 200)
      return replies
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      refusal ??= cause
      return items.map((item) => refusalOf(cause, item, options))
    }
  }
  return {
    /** Resolves when the next one may come. */
    write: async (items: Read[]): Promise<void> => {
      while (underWay.size >= GROUPS_UNDER_WAY) await Promise.race(underWay)
      const come = handedOver
      let pass = (): void => undefined
      handedOver = new Promise<void>((resolve) => {
        pass = resolve
      })
      const group = writeGroup(bulk, items, options, { come, pass })
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
    /** Throws what refused the first group, where none was written. */
    answer: async (): Promise<BulkAnswer> => {
      await added
      if (refusal !== undefined && !isAnyWritten) throw refusal
      return answer()
    },
  }
}

/**
 * `Documents.bulk` for one group after the other of one request. What refuses the first group refuses the request, and
 * those behind it, which must not be written then; what refuses a later one is the error of each of its items, as earlier
 * ones are written. Where too many wait, items behind others wait for room: the client sends no faster.
 */
function inTurn(documents: Pick<Documents, 'bulk'>): Documents['bulk'] {
  let begun = false
  let failed = false

  return async (items, index, options) => {
    const own: WriteOptions = { ...options, isLate: () => failed || options.isLate?.() === true }
    const isFirst = !begun
    begun = true
    try {
      const write = () => documents.bulk(items, index, own)
      return await (isFirst ? write() : whenThereIsRoom(write))
    } catch (cause) {
      failed ||= isFirst
      if (isFirst || failed || !(cause instanceof ServiceError)) throw cause
      return items.map(() => cause)
    }
  }
}

async function whenThereIsRoom<T>(write: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + ROOM_MS
  for (;;) {
    try {
      return await write()
    } catch (cause) {
      const isFull = cause instanceof ServiceError && cause.code === 'OVERLOADED'
      if (!isFull || performance.now() >= untilMs) throw cause
      await pause(LOOK_MS)
    }
  }
}

async function writeGroup(
  bulk: Documents['bulk'],
  read: Read[],
  options: GroupOptions,
  turn: Turn,
): Promise<BulkItemReply[]> {
  const { index, refresh, noteDone, isLate } = options
  const outcomes = await bulk(read, index, { refresh, noteDone, isLate, turn })
  return outcomes.map((outcome, at) =>
    outcome instanceof ServiceError
      ? refusalOf(outcome, read[at], options)
      : { status: 200, ...outcome },
  )
}

function refusalOf(
  { status, code, message }: ServiceError,
  item: Read | undefined,
  { defaultIndex, index = defaultIndex }: Pick<GroupOptions, 'index' | 'defaultIndex'>,
): BulkItemReply {
  const inherited = index === undefined ? {} : { index }
  return { status, ...inherited, ...item?.names, code, error: message }
}
