import { native } from '../src/native.ts'

// Background work.
native.giveWay(10)

export interface CheckInput {
  /** As the core reads it. */
  definition: string
}

/** Throws what is wrong with a definition that the core can't open an index with. */
export function check({ definition }: CheckInput): void {
  native.check(definition)
}
