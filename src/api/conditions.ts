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

function readVersion(tag: string, name: string): number | 'any' {
  if (tag.trim() === '*') return 'any'
  const [, digits] = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(tag) ?? []
  if (digits === undefined)
    throw invalid(name, 'must be a version in quotes, such as "3", or * for any')
  return Number(digits)
}
