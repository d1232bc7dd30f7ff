import type { IndexEntry } from '../indices/index-entry.ts'
import type { EngineState } from './engine-state.ts'
import { ready } from './opening.ts'

/**
 * The indices that are open, or can be opened, for whoever asks for all there are: one whose files can't be opened is left
 * to upkeep, which tries it again. Where none of them can be, all, so that who uses them is told why.
 */
export function openable(
  engine: EngineState,
  entries: IndexEntry[],
): IndexEntry[] | Promise<IndexEntry[]> {
  const tried = withoutUnopened(engine, entries)
  const openings: Promise<void>[] = []
  for (const entry of tried) {
    const opening = ready(engine, entry)
    if (opening !== undefined) openings.push(opening)
  }
  if (openings.length === 0) return tried
  return Promise.allSettled(openings).then(() => withoutUnopened(engine, tried))
}

function withoutUnopened({ unopened }: EngineState, entries: IndexEntry[]): IndexEntry[] {
  if (unopened.size === 0) return entries
  const others = entries.filter(({ record }) => !unopened.has(record.engineId))
  return others.length === 0 ? entries : others
}
