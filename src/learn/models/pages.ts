import type { Judgement } from '../../schema/model-record.ts'
import { orderedBy } from '../../schema/plan.ts'
import type { Reader } from '../../store/reader.ts'
import type { Impression } from '../facts.ts'
import { drawnScores } from '../impressions/draw.ts'
import { expectedExamination } from '../impressions/exploration.ts'
import { decodeImpression } from '../impressions/impression.ts'
import { BUCKETS, bucketOf } from '../statistics/buckets.ts'
import { chanceAt, type PlaceChances } from '../statistics/place-chances.ts'

/** One shown page as training and gates see it; lists by hit, in shown order. */
export interface Page {
  unit: string
  timeMs: number
  /** `id@version` of the model that ranked, '' for none. */
  model: string
  /** Hits before the first one. */
  from: number
  /** Gain of each hit, 0..1. */
  gains: number[]
  /** Examination of the place where the hit was shown. */
  shown: number[]
  /** The expected examination of each hit under logging: what estimates divide by. */
  expected: number[]
  /** Examination of each place of the page. */
  examination: number[]
  /** The scores that put the hits in their order, exploration apart. */
  scores: number[]
  /** So many hits, the first ones, are pinned: whoever ranks, they stay. */
  pinned: number
  /** A row for each hit. */
  features: Float32Array
  shadow?: { model: string; scores: number[] }
}

export interface PageFilter {
  /** The row of a document of which nothing is known: rows from before a feature was added have its number for it. */
  blank: Float32Array
  chances: PlaceChances
  sinceMs: number
  /** Only pages of units that are held out, or only of the others. */
  heldOut?: boolean
  /** Only lists that a model may order: where rankers are compared, others would stay as they are. */
  movable?: boolean
  /** At most so many pages. */
  limit: number
  wanted?: (page: Impression) => boolean
}

/** A row of features was never shorter; shorter ones are the parts of a score. */
const WIDTH_MIN = 16
/** Share of the units that no training sees. */
const HELD_OUT_SHARE = 0.2
/** Pages of one unit that count: nobody teaches alone. */
const UNIT_PAGES_MAX = 50
/** Impressions looked at for those that are wanted. */
const SCANNED_MAX = 200_000

/** The row that a search gives a document of which nothing is known, as far as that is not 0. */
export function blankRow(names: readonly string[], priorRate: number): Float32Array {
  return Float32Array.from(names, (name) => (name === 'clickRate' ? priorRate : 0))
}

/** Pages with a gain, newest first. */
export function judgedPages(reader: Reader, filter: PageFilter): Page[] {
  function* candidates(): Iterable<[Uint8Array, Judgement]> {
    for (const { queryId, judgement } of reader.judged()) {
      const bytes = reader.impression(queryId)
      if (bytes !== undefined) yield [bytes, judgement]
    }
  }
  return collect(candidates(), filter)
}

/** Pages with and without gains, newest first. */
export function shownPages(reader: Reader, filter: PageFilter): Page[] {
  function* candidates(): Iterable<[Uint8Array, undefined]> {
    for (const bytes of reader.impressions()) yield [bytes, undefined]
  }
  return collect(candidates(), filter, (queryId) => reader.judgement(queryId))
}

function collect(
  candidates: Iterable<[Uint8Array, Judgement | undefined]>,
  filter: PageFilter,
  judgementOf: (queryId: string) => Judgement | undefined = () => undefined,
): Page[] {
  const pages: Page[] = []
  const ofUnit = new Map<string, number>()
  let scanned = 0
  for (const [bytes, judgement] of candidates) {
    scanned += 1
    if (pages.length >= filter.limit || scanned > SCANNED_MAX) break
    const found = decodeImpression(bytes)
    const { impression } = found
    const { unit, timeMs } = impression
    if (timeMs < filter.sinceMs) break
    if (unit === undefined || !isWanted(impression, unit, filter)) continue
    if (filter.movable === true && orderedBy(found.replay().request) !== 'score') continue
    const count = (ofUnit.get(unit) ?? 0) + 1
    if (count > UNIT_PAGES_MAX) continue
    ofUnit.set(unit, count)
    // Before another row is read: the bytes are lent.
    const features = found.features()
    const gains = (judgement ?? judgementOf(impression.queryId))?.gains ?? []
    const rows = widened(features, impression.features, filter.blank)
    pages.push(pageOf({ ...impression, unit }, rows, new Map(gains), filter.chances))
  }
  return pages
}

function isWanted(impression: Impression, unit: string, filter: PageFilter): boolean {
  const { scores, interleaved, features } = impression
  // The order of teams was nobody's ranking, and one hit is no order.
  if (scores.length < 2 || interleaved !== undefined) return false
  if (features < WIDTH_MIN || features > filter.blank.length) return false
  if (filter.heldOut !== undefined && isHeldOut(unit) !== filter.heldOut) return false
  return filter.wanted?.(impression) ?? true
}

function widened(rows: Float32Array, from: number, blank: Float32Array): Float32Array {
  const to = blank.length
  if (from === to) return rows
  const wide = new Float32Array((rows.length / from) * to)
  for (let row = 0; row * from < rows.length; row += 1) {
    wide.set(blank, row * to)
    wide.set(rows.subarray(row * from, (row + 1) * from), row * to)
  }
  return wide
}

function isHeldOut(unit: string): boolean {
  return bucketOf('held-out', unit, 'inclusion') < HELD_OUT_SHARE * BUCKETS
}

function pageOf(
  impression: Impression & { unit: string },
  features: Float32Array,
  gains: Map<number, number>,
  chances: PlaceChances,
): Page {
  const { unit, timeMs, model = '', scores, pinned = 0, from } = impression
  const { shadowModel, shadowScores } = impression
  const examination = scores.map((_, place) => chanceAt(chances, from + place + 1))
  return {
    unit,
    timeMs,
    model,
    from,
    gains: scores.map((_, hit) => gains.get(hit) ?? 0),
    shown: examination,
    expected: expectedOf(impression, examination),
    examination,
    scores,
    pinned,
    features,
    ...(shadowModel === undefined || shadowScores === undefined
      ? {}
      : { shadow: { model: shadowModel, scores: shadowScores } }),
  }
}

function expectedOf({ scores, exploration }: Impression, examination: number[]): number[] {
  if (exploration === undefined) return examination
  const { epsilon, temperature } = exploration
  const greedy = greedyOrder(scores, exploration.order)
  const drawn = drawnScores(
    greedy.map((hit) => scores[hit] ?? 0),
    exploration,
  )
  const known = expectedExamination({ scores: drawn, epsilon, temperature, examination })
  const expected = new Array<number>(scores.length)
  greedy.forEach((hit, place) => {
    expected[hit] = known[place] ?? 0
  })
  return expected
}

/** The hits as they stood before the draw, which was logged: of equal scores the page itself doesn't tell. */
function greedyOrder(scores: readonly number[], drawn: readonly number[] = []): number[] {
  if (drawn.length === 0) return orderBy(scores)
  const greedy = scores.map((_, hit) => hit)
  drawn.forEach((place, hit) => {
    greedy[place] = hit
  })
  return greedy
}

/** Places of the greatest scores first, behind those that are pinned; equal ones stay in order. */
export function orderBy(scores: ArrayLike<number>, pinned = 0): number[] {
  const order = Array.from({ length: scores.length }, (_, hit) => hit)
  const kept = order.splice(0, pinned)
  return kept.concat(order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b))
}
