import { shownName, TOLD_MAX } from '../../word.ts'
import { readInstead } from './read-elsewhere.ts'

/** What is read of a declaration. */
const READ: ReadonlySet<string> = new Set(['name', 'settings', 'mappings'])
/** What stands beside the settings and the mappings of a declaration: the index is made without it. */
export function undeclaredIn(sent: object): string[] {
  const unread = Object.keys(sent).filter((name) => !READ.has(name))
  return unread
    .slice(0, TOLD_MAX)
    .map(
      (name) => `"${shownName(name)}" is not read and was ignored${readInstead('', name, READ)}.`,
    )
}
