import { ServiceError } from '../src/errors.ts'
import { readJson } from '../src/json/json.ts'
import { type Members, outlineOf } from '../src/json/outline.ts'
import { refuseUnkeepable } from '../src/json/unkeepable.ts'
import { asObject } from '../src/object.ts'
import { type ModelOutput, model } from './model.ts'

export interface SyncInput {
  /** The body as it came, in order. */
  pieces: Uint8Array[]
  depthMax: number
  /** What its outline is to hold. */
  members: Members
  /** Under which the core tries the model. */
  handle: number
}

export interface SyncOutput {
  /** Why the body can't be taken; nothing else is told then. */
  refusal?: Pick<ServiceError, 'code' | 'message' | 'details'>
  /** The body without what is large in it: not checked yet. */
  outline?: unknown
  /** The state in the body, if it has one. */
  state?: ModelOutput
}

/** Whatever a state holds, it holds nobody up here. */
const ANY = { namesMax: Number.POSITIVE_INFINITY }

/** Reads a large body with a state in it, whose parsing would hold the main thread. */
export function sync({ pieces, depthMax, members, handle }: SyncInput): SyncOutput {
  let body: unknown
  try {
    const { value, suspicious } = readJson(Buffer.concat(pieces), depthMax, ANY)
    if (suspicious) refuseUnkeepable(value)
    body = value
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    const { code, message, details } = cause
    return { refusal: { code, message, details } }
  }
  const outline = outlineOf(body, members)
  const state = asObject(asObject(body)?.state)
  if (state === undefined) return { outline }
  return { outline, state: model({ source: { state }, handle, keep: false, drop: [] }) }
}
