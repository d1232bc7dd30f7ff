/**
 * What is added to the scores of documents, as two texts: the documents stay while the values move, and pages keep both
 * for long.
 */
export interface AddedScores {
  /** Names of the documents, a `DocumentKey` each, as a JSON list without its brackets. */
  documents: string
  /**
   * What is added to each, base64 of little-endian float64, which is written and read in a tenth of the time that figures
   * take; 1 is the span of the fused score.
   */
  values: string
  count: number
  /** Whether the first of them are pinned: pins come before whatever else is added. */
  pins: boolean
}

export const NOTHING_ADDED: AddedScores = Object.freeze({
  documents: '',
  values: '',
  count: 0,
  pins: false,
})

/** A pinned document stands above all others, the first pin highest; from here on neither a model nor a draw moves it. */
export const PIN = 1000

/** Which list a page belongs to: by its number, which cursors carry, or by what decides it. */
export interface ListPlace {
  /** What decides the list and its order. */
  text: string
  list: number | undefined
  /** The query id of the page. */
  queryId?: string
}

/**
 * Further pages of a list are no searches of their own, wherever searches are counted. Asked of a request, and of an
 * impression, whose `from` counts the pages before, however they were asked for.
 */
export function isFirstPage({ from = 0, cursor }: { from?: number; cursor?: string }): boolean {
  return from === 0 && cursor === undefined
}

/** A request of the core, as far as it says what lists are ordered by. */
export interface Ordered {
  sort?: readonly { field: string; descending: boolean }[]
}

/**
 * What puts the hits of a list in their order: their scores alone, which a model may move; their scores before anything
 * else, so that pins and boosts move them; or what fields hold, so that neither does.
 */
export function orderedBy({ sort = [] }: Ordered): 'score' | 'score first' | 'fields' {
  const [first] = sort
  if (first === undefined) return 'score'
  if (first.field !== '_score' || !first.descending) return 'fields'
  return sort.length === 1 ? 'score' : 'score first'
}

/** The core's numbers of devices, from 1 on; 0 is any other. */
const DEVICES = ['desktop', 'mobile', 'tablet']

export function deviceNumber(deviceType: unknown): number {
  return typeof deviceType === 'string' ? DEVICES.indexOf(deviceType.toLowerCase()) + 1 : 0
}
