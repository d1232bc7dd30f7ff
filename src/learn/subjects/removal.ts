import type { Store } from '../../store/store.ts'
import { asLogEntry } from '../entries.ts'
import type { Log } from '../loop/log.ts'
import type { DoomedRows } from './doomed.ts'

/** Rows that one transaction removes, so that others come in between. */
const SLICE_ROWS = 64

/** Removes what somebody did from the log. */
export async function removeDoomed(store: Store, log: Log, doomed: DoomedRows): Promise<void> {
  const { journal } = store.tables
  await removeRows(store, doomed.impressions, (rows) => {
    log.removeWithin(rows.map(({ queryId }) => queryId))
    unnameWithin(store, rows)
  })
  const entries = [...doomed.feedback.map(({ sequence }) => sequence), ...doomed.events]
  await removeRows(store, entries, (sequences) => journal.removeAll(sequences))
}

/** Takes searches out of the entries that name them: those of others stand there, too. */
function unnameWithin({ tables: { journal } }: Store, rows: DoomedRows['impressions']): void {
  const theirs = new Set(rows.map(({ queryId }) => queryId))
  for (const sequence of new Set(rows.map((row) => row.sequence))) {
    const stored = journal.get(sequence)
    const entry = stored === undefined ? undefined : asLogEntry(stored)
    if (entry?.type !== 'searches') continue
    const data = entry.data.filter((queryId) => !theirs.has(queryId))
    if (data.length > 0) journal.put(sequence, { ...entry, data })
    else journal.remove(sequence)
  }
}

async function removeRows<Key>(
  store: Store,
  keys: Key[],
  remove: (keys: Key[]) => void,
): Promise<void> {
  for (let from = 0; from < keys.length; from += SLICE_ROWS)
    await store.release(() => remove(keys.slice(from, from + SLICE_ROWS)))
}
