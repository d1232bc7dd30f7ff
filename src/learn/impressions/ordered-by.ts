import type { ReplayRecord } from '../facts.ts'

/** A key of a list's order, as the core was asked for it. */
interface Key {
  field: string
  descending: boolean
}

/**
 * What put the hits of a search in their order: their scores alone, which a model may move; their scores before anything
 * else, so that pins and boosts move them; or what fields hold, so that neither does.
 */
export function orderedBy({ request }: Pick<ReplayRecord, 'request'>): OrderedBy {
  const { sort = [] } = request as { sort?: readonly Key[] }
  const [first] = sort
  if (first === undefined) return 'score'
  if (first.field !== '_score' || !first.descending) return 'fields'
  return sort.length === 1 ? 'score' : 'score first'
}

export type OrderedBy = 'score' | 'score first' | 'fields'
