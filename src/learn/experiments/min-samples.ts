import { invalid } from '../../errors.ts'

/** The `minSamples` of the object at `path`; undefined where none is sent. Throws VALIDATION_FAILED. */
export function readMinSamples(
  { minSamples: sent }: { minSamples?: unknown },
  path: string,
): number | undefined {
  if (sent === undefined) return undefined
  if (typeof sent !== 'number' || !Number.isInteger(sent) || sent < 0)
    throw invalid(`${path}.minSamples`, 'must be a whole number that is not negative')
  return sent
}
