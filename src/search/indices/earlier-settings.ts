import type { Config } from '../../config.ts'
import { ServiceError, StartError } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { IndexRecord, IndexSettings } from '../../schema/indices.ts'
import { shownName } from '../../word.ts'
import { compileDefinition, type Definition } from './definition.ts'

type Compile = (settings: IndexSettings) => Definition

/**
 * Compiles the definition of an index that is declared already. What an earlier version took in its settings, and this
 * one would refuse, counts as not sent, which the definition's warnings tell: its documents are there, and must be found.
 * Throws what is wrong elsewhere.
 */
export function compileDeclared(settings: IndexSettings, compile: Compile): Definition {
  const unread: string[] = []
  for (let rest = settings; ; ) {
    try {
      const definition = compile(rest)
      if (unread.length === 0) return definition
      return { ...definition, warnings: [...definition.warnings, ...unread] }
    } catch (cause) {
      const [mistake] = (cause instanceof ServiceError && cause.details) || []
      const less = mistake === undefined ? undefined : without({ settings: rest }, mistake.path)
      if (mistake === undefined || less === undefined) throw cause
      unread.push(`${mistake.path}: not read since an update; ${mistake.message}.`)
      rest = less.settings as IndexSettings
    }
  }
}

/** A copy without what stands at a dotted path; undefined where nothing stands there. */
function without(
  whole: Readonly<Record<string, unknown>>,
  path: string,
): Record<string, unknown> | undefined {
  const [name = '', ...further] = path.split('.')
  if (!Object.hasOwn(whole, name)) return undefined
  const { [name]: inner, ...others } = whole
  if (further.length === 0) return others
  const less = without(asObject(inner) ?? {}, further.join('.'))
  return less === undefined ? undefined : { ...others, [name]: less }
}

/** The definition of an index as the store has it. Throws a StartError where this version can make nothing of it. */
export function definitionOf(
  { name, settings, mappings }: IndexRecord,
  config: Pick<Config, 'embedder' | 'embedderDimensions' | 'dataDir'>,
): Definition {
  try {
    return compileDeclared(settings, (read) => compileDefinition(read, mappings, config))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(
      `The index "${shownName(name)}" of the data folder ${config.dataDir} was declared in a way that this version can't read (${why}) Start the version that made it, or tell those who make this one.`,
      { cause, lasts: true },
    )
  }
}
