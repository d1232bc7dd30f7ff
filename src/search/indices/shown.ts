import type { IndexMappings, IndexSettings } from '../../schema/indices.ts'
import { DEFAULT_PROPERTIES } from './definition.ts'

interface Declaration {
  settings: IndexSettings
  mappings: IndexMappings
}

/**
 * What an index was declared with, as answers have it. What was sent in the spelling of other search engines also stands
 * under the name that it has here; where no field was sent, mappings are the default ones.
 */
export function shownDeclaration({ settings, mappings }: Declaration): Declaration {
  const { index, number_of_shards, number_of_replicas } = settings
  const shards = number_of_shards ?? index?.number_of_shards
  const replication = number_of_replicas ?? index?.number_of_replicas
  const hasFields = Object.keys(mappings.properties ?? {}).length > 0
  return {
    settings: {
      ...(shards === undefined ? {} : { shards }),
      ...(replication === undefined ? {} : { replication }),
      ...settings,
    },
    mappings: hasFields ? mappings : { ...mappings, properties: { ...DEFAULT_PROPERTIES } },
  }
}
