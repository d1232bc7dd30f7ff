import { type Config, variableOf } from '../../config.ts'
import { serviceError } from '../../errors.ts'

interface Names {
  entries: ReadonlyMap<string, unknown>
  /** Being made durable; for a moment one may be in both. */
  creating: ReadonlyMap<string, unknown>
}

/** Throws LIMIT_REACHED when there are, or will be at once, as many indices as there may be. */
export function refuseOneTooMany(
  { entries, creating }: Names,
  { indicesMax }: Pick<Config, 'indicesMax'>,
): void {
  const coming = [...creating.keys()].filter((name) => !entries.has(name)).length
  if (entries.size + coming < indicesMax) return
  throw serviceError(
    'LIMIT_REACHED',
    `There are as many indices as may be: ${indicesMax}, the setting ${variableOf('indicesMax')}; delete one that is not needed any more, or raise it.`,
  )
}
