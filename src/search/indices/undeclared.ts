import { nearestName } from '../../nearest-name.ts'
import { shownName, TOLD_MAX } from '../../word.ts'

/** What is read of a declaration. */
const READ: ReadonlySet<string> = new Set(['name', 'settings', 'mappings'])
/** What belongs inside of these, or is called so by other search engines. */
const MEANT: Readonly<Record<string, string>> = {
  mapping: 'mappings',
  schema: 'mappings',
  setting: 'settings',
  index: 'settings',
  properties: 'mappings.properties',
  fields: 'mappings.properties',
  dynamic: 'mappings.dynamic',
  analysis: 'settings.analysis',
  embedder: 'settings.embedder',
  analyzer: 'settings.analysis.analyzer',
  language: 'settings.analysis.language',
  synonyms: 'settings.analysis.synonyms',
  stopWords: 'settings.analysis.stopWords',
  shards: 'settings.shards',
  number_of_shards: 'settings.number_of_shards',
  replication: 'settings.replication',
  number_of_replicas: 'settings.number_of_replicas',
}

/** What stands beside the settings and the mappings of a declaration: the index is made without it. */
export function undeclaredIn(sent: object): string[] {
  const unread = Object.keys(sent).filter((name) => !READ.has(name))
  return unread.slice(0, TOLD_MAX).map((name) => {
    const meant = Object.hasOwn(MEANT, name) ? MEANT[name] : nearestName(shownName(name), READ)
    const instead = meant === undefined ? '' : `; "${meant}" is`
    return `"${shownName(name)}" is not read and was ignored${instead}.`
  })
}
