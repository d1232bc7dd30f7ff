import { nearestName } from '../nearest-name.ts'

/** What commands of this kind are called elsewhere. */
const MEANT: Readonly<Record<string, string>> = {
  bulk: 'load',
  import: 'load',
  index: 'load',
  ingest: 'load',
  add: 'load',
  upload: 'load',
  query: 'search',
  find: 'search',
  start: 'serve',
  server: 'serve',
  run: 'serve',
  health: 'status',
  stats: 'status',
  info: 'status',
  indices: 'status',
  ping: 'status',
}

/**
 * What to say to the first word of a command line, or the word behind `help`, if no command has this name. Help that is
 * asked for in one breath with it would be that of the whole, as though nothing were wrong.
 */
export function unknownCommand(
  [first = '', second = '']: readonly string[],
  commands: readonly string[],
): string | undefined {
  const name = first === 'help' ? second : first
  if (name === '' || name.startsWith('-') || name === 'help' || commands.includes(name))
    return undefined
  const lower = name.toLowerCase()
  const meant = Object.hasOwn(MEANT, lower) ? MEANT[lower] : nearestName(name, commands)
  const instead = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
  return `error: unknown command '${name}'${instead}`
}
