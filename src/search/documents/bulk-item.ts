import { ServiceError, serviceError } from '../../errors.ts'
import { isObject } from '../../object.ts'
import type { BulkItem } from '../../schema/document.ts'
import { bulkActionOf, openActions } from './bulk-action.ts'

/* What one item of a bulk, or one line, says. */

export interface ItemOptions {
  /** Throws a ServiceError about an item that has not the right shape, or holds what can't be kept. */
  check: (item: unknown, suspicious: boolean) => void
}

export interface LineOptions extends ItemOptions {
  /** Reads one line's JSON, a long one a part at a time; throws a ServiceError, in which the line has this name. */
  parse: (line: Uint8Array, name: string) => Sent | Promise<Sent>
  lineBytesMax: number
}

export interface Line {
  /** From 1, with blank ones counted. */
  number: number
  /** Undefined when there were too many of them. */
  bytes: Uint8Array | undefined
}

interface Sent {
  value: unknown
  suspicious: boolean
}

/** An item, or what is wrong with it; and what it calls itself either way. */
export interface Read {
  item: BulkItem | ServiceError
  /** The document was the whole item, but for its id. */
  isWhole: boolean
  names: { id?: string; index?: string }
}

const LIST = 'is a list: send an object in each line, or the list as application/json'

/** Reads one line after the other. */
export function openLineReader(options: LineOptions): (line: Line) => Promise<Read> {
  const { read, skip } = openReader(options)
  return async ({ number, bytes }) => {
    const name = `Line ${number} of the body`
    try {
      if (bytes === undefined)
        throw serviceError('BODY_TOO_LARGE', `${name} is over ${options.lineBytesMax} bytes.`)
      const sent = await options.parse(bytes, name)
      if (Array.isArray(sent.value)) throw serviceError('VALIDATION_FAILED', `${name} ${LIST}.`)
      return read(sent)
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      skip()
      return { item: cause, isWhole: false, names: {} }
    }
  }
}

/** Reads one item after the other. */
export function openItemReader(options: ItemOptions): (sent: Sent) => Read {
  return openReader(options).read
}

function openReader({ check }: ItemOptions) {
  const actions = openActions()
  return {
    read: ({ value, suspicious }: Sent): Read => {
      const refusal = actions.refusalOf(value)
      if (refusal !== undefined)
        return { item: refusal, isWhole: false, names: namesOf(bulkActionOf(value) ?? value) }
      const item = asItem(value)
      const names = namesOf(item)
      try {
        check(item, suspicious)
        return { item: item as BulkItem, isWhole: item !== value, names }
      } catch (cause) {
        if (cause instanceof ServiceError) return { item: cause, isWhole: false, names }
        throw cause
      }
    },
    /** A line that could not be read stands in its place all the same. */
    skip: actions.skip,
  }
}

/** `{op?, index?, id?, document}`, or a plain document with an optional id. */
function asItem(sent: unknown): unknown {
  if (!isObject(sent)) return sent
  if ('document' in sent || 'op' in sent) return sent
  const { id, ...document } = sent
  return id === undefined ? { document } : { id, document }
}

function namesOf(item: unknown): Read['names'] {
  if (!isObject(item)) return {}
  const { id, index } = item
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof index === 'string' ? { index } : {}),
  }
}
