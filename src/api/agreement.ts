import { invalid } from '../errors.ts'

interface Said {
  /** Where it was said again, and what. */
  path: string
  again: string | undefined
  /** Where else, in words, and what. */
  place: string
  first: string | undefined
}

/** Throws VALIDATION_FAILED when a request says the same thing twice and differently: one of the two would be lost. */
export function refuseContradiction({ path, again, place, first }: Said): void {
  if (again === undefined || first === undefined || again === first) return
  throw invalid(path, `contradicts ${place}; send one of them, or the same in both`)
}
