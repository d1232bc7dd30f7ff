import { type ServiceError, serviceError } from '../../errors.ts'

/** What must be there: one of some versions, any, or none. */
type IfVersion = readonly number[] | 'any' | 'none'

/** What must hold of the stored document before an operation is done; both, where both are named. */
export interface Conditions {
  /**
   * Only when the stored version is one of these; `any`: only when there is one; `none`: only when there is none. `If-Match`
   * asks for the first two, a bulk's `create` for the last.
   */
  ifVersion?: IfVersion | undefined
  /** Not when the stored version is one of these; `any`: not when there is one. `If-None-Match` asks for it. */
  unlessVersion?: readonly number[] | 'any' | undefined
}

/** Why an operation must not be done on what is stored; `version` is undefined where nothing is. */
export function unmet(
  { ifVersion, unlessVersion }: Conditions,
  version: number | undefined,
): ServiceError | undefined {
  if (ifVersion === 'none') return version === undefined ? undefined : exists()
  if (ifVersion !== undefined && !isOneOf(ifVersion, version)) return mismatch(version)
  if (unlessVersion === undefined || !isOneOf(unlessVersion, version)) return undefined
  return excluded(unlessVersion, version)
}

/** Whether the stored version is among these. 0 is the version of a document that is not there. */
export function isOneOf(versions: readonly number[] | 'any', version: number | undefined): boolean {
  return versions === 'any' ? version !== undefined : versions.includes(version ?? 0)
}

function mismatch(version: number | undefined): ServiceError {
  const message = 'names no version that is stored'
  return serviceError(
    'VERSION_MISMATCH',
    version === undefined
      ? 'There is no document with this id, and If-Match names one; leave the header out to create it.'
      : `The document's version is ${version}, not the one that If-Match names; read it, and change what is there by now.`,
    { details: [{ path: 'If-Match', message }] },
  )
}

function excluded(versions: readonly number[] | 'any', version: number | undefined): ServiceError {
  const details = [{ path: 'If-None-Match', message: 'excludes what is stored' }]
  if (version === undefined)
    return serviceError(
      'VERSION_MISMATCH',
      'There is no document with this id, and If-None-Match: "0" wants one.',
      { details },
    )
  return serviceError(
    'VERSION_MISMATCH',
    versions === 'any'
      ? `There is a document with this id already, of version ${version}, and If-None-Match: * wants none; leave the header out to change it.`
      : `The document's version is ${version}, which If-None-Match excludes.`,
    { details },
  )
}

function exists(): ServiceError {
  return serviceError(
    'DOCUMENT_EXISTS',
    'There is a document with this id already; send op "index" to replace it.',
    { details: [{ path: 'id', message: 'is taken' }] },
  )
}
