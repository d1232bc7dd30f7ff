import { ServiceError } from '../../errors.ts'
import type { BulkItemReply } from './bulk-answer.ts'
import type { Read } from './bulk-item.ts'

/** What became of groups of lines that are refused as a whole, as by a full disk. */
export interface Refusals {
  /** The replies to a group: its own, or what refused it as the error of each line. */
  settled: (group: Promise<BulkItemReply[]>, items: readonly Read[]) => Promise<BulkItemReply[]>
  /** Throws what refused the first group where each was refused: then nothing was done. */
  refuseWhole: () => void
}

/** Of one request, whose other groups may be written: whoever sent them must know which. */
export function openRefusals(index: string | undefined): Refusals {
  let first: ServiceError | undefined
  let isAnyTaken = false
  return {
    settled: async (group, items) => {
      try {
        const replies = await group
        isAnyTaken = true
        return replies
      } catch (cause) {
        if (!(cause instanceof ServiceError)) throw cause
        const refusal = cause
        first ??= refusal
        return items.map((item) => refusalOf(item, refusal, index))
      }
    },
    refuseWhole: () => {
      if (first !== undefined && !isAnyTaken) throw first
    },
  }
}

/** The reply to an item that is not written; `index` is that of items that name none. */
export function refusalOf(
  { names }: Pick<Read, 'names'>,
  { status, code, message }: ServiceError,
  index: string | undefined,
): BulkItemReply {
  const inherited = index === undefined ? {} : { index }
  return { status, ...inherited, ...names, code, error: message }
}
