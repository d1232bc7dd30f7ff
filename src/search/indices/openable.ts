import { namedError } from '../../errors.ts'
import { native } from '../../native.ts'
import type { Pool } from '../../threads/pool.ts'
import { type Definition, definitionJson } from './definition.ts'

/** Characters of a definition from which on another thread asks the core about it: to hop there takes longer for less. */
const LARGE_CHARACTERS = 64 << 10

/**
 * Throws what is wrong with a definition that the core can't open an index with: such an index must never be declared.
 * Tens of thousands of synonyms take the core a third of a second: of these another thread asks, and the answer is to be
 * awaited; of most it is there at once.
 */
export function refuseUnopenable(
  pool: Pick<Pool, 'run'>,
  definition: Definition,
): Promise<void> | undefined {
  const json = definitionJson(definition)
  if (json.length >= LARGE_CHARACTERS) return pool.run('check', { definition: json })
  try {
    native.check(json)
    return undefined
  } catch (cause) {
    throw namedError(cause)
  }
}
