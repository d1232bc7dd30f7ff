import { invalid } from '../errors.ts'
import type { Call } from '../http/route.ts'

/** What a request's headers want of the stored document. */
export interface SentConditions {
  ifVersion: number[] | 'any' | undefined
  unlessVersion: number[] | 'any' | undefined
}

/**
 * `If-Match: "3"` (or a list) wants that version, `*` any; `If-None-Match: "3"` (or a list) another, `*` none. Throws
 * VALIDATION_FAILED that names the header.
 */
export function readConditions(header: Call<unknown, unknown, unknown>['header']): SentConditions {
  const match = header('if-match')
  const noneMatch = header('if-none-match')
  return {
    ifVersion: match === undefined ? undefined : readVersions(match, 'If-Match'),
    unlessVersion: noneMatch === undefined ? undefined : readVersions(noneMatch, 'If-None-Match'),
  }
}

/** Throws VALIDATION_FAILED for a condition where there are many documents: to do it all the same would overwrite some. */
export function refuseConditions(header: Call<unknown, unknown, unknown>['header']): void {
  for (const name of ['If-Match', 'If-None-Match'])
    if (header(name.toLowerCase()) !== undefined)
      throw invalid(
        name,
        `is of one document, and can't be sent with a bulk; an item with "op": "create" is stored only where there is none`,
      )
}

/** More tags than a header of any use names. */
const VERSIONS_MAX = 100

function readVersions(header: string, name: string): number[] | 'any' {
  const tags = header.split(',')
  if (tags.length > VERSIONS_MAX) throw invalid(name, `must name at most ${VERSIONS_MAX} versions`)
  const versions = tags.map((tag) => readVersion(tag, name))
  if (versions.length === 1 && versions[0] === 'any') return 'any'
  if (versions.includes('any')) throw invalid(name, 'must be * alone, or versions without it')
  return versions as number[]
}

/**
 * Quotes may hold any tag; a version may also stand without them. A weak tag counts as its version, because proxies
 * that compress weaken tags.
 */
const TAG = /^\s*(?:W\/)?(?:"([!#-~\u0080-\u00ff]*)"|(\d{1,15}))\s*$/
/** As versions are written. */
const VERSION = /^(?:0|[1-9]\d{0,14})$/
/** The version of a tag that was made elsewhere: no document has it (RFC 9110 8.8.3: tags are equal as texts). */
const NO_VERSION = -1

function readVersion(tag: string, name: string): number | 'any' {
  if (tag.trim() === '*') return 'any'
  const [match, quoted, digits] = TAG.exec(tag) ?? []
  if (match === undefined)
    throw invalid(name, 'must be a version in quotes, such as "3", or * for any')
  if (quoted === undefined) return Number(digits)
  return VERSION.test(quoted) ? Number(quoted) : NO_VERSION
}
