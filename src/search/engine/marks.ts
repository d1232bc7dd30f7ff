import type { Store } from '../../store/store.ts'

/*
 * Files and records of an index are told apart from those of another time or place by marks: each checkpoint writes a new
 * one into the files. The records name it before the files have it, and forget the others once the files have it:
 *
 *   records   [a]   [a, b]   [a, b]   [b]
 *   files      a       a        b      b
 *
 * So files are of these records when their mark is among those that the records name, also after a crash at any moment.
 * Others (records put back from a backup, a folder from elsewhere) may lack writes that are in no journal any more.
 */

/** Files of earlier versions carry none. */
const NO_MARK = ''

function nameOf(engineId: number): string {
  return `files/${engineId}`
}

/** The marks of which files of these records may be. */
export function marksOf({ get }: Pick<Store['tables']['meta'], 'get'>, engineId: number): string[] {
  return (get(nameOf(engineId)) as string[] | undefined) ?? [NO_MARK]
}

/** Durable when it resolves: files may carry the mark from then on. */
export async function addMark(store: Store, engineId: number, mark: string): Promise<void> {
  const { meta } = store.tables
  await store.release(() => {
    const known = marksOf(meta, engineId)
    if (!known.includes(mark)) meta.put(nameOf(engineId), [...known, mark])
  })
}

/** The files carry the mark, or kept the one that they had. */
export async function settleMark(
  store: Store,
  engineId: number,
  { mark, isWritten }: { mark: string; isWritten: boolean },
): Promise<void> {
  const { meta } = store.tables
  await store.release(() => {
    const known = marksOf(meta, engineId)
    const at = known.indexOf(mark)
    // Another checkpoint of the same index may have come to its end meanwhile.
    if (at < 0) return
    const left = isWritten ? known.slice(at) : known.filter((other) => other !== mark)
    meta.put(nameOf(engineId), left)
  })
}

/** The files are gone. */
export async function forgetMarks(store: Store, engineId: number): Promise<void> {
  await store.release(() => store.tables.meta.remove(nameOf(engineId)))
}
