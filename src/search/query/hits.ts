import type { SearchResult } from '../../native.ts'

/** Where a hit of a new page comes from: which result, and its place there. */
export type HitPlace = [result: number, at: number]

/** Makes the first result that of a page whose hits are picked from all of them; its totals and facets stay. */
export function pickHits(results: readonly SearchResult[], places: readonly HitPlace[]): void {
  const [first] = results
  if (first === undefined) throw new Error('There is no result to pick from.')
  const { features, parts, shadowScores, explain } = first
  const hits = first.ords.length
  const picked = places.length
  const ids = pickRows(results, places, idsOf, new Float64Array(picked))
  const ords = pickRows(results, places, ordsOf, new Float64Array(picked))
  const scores = pickRows(results, places, scoresOf, new Float64Array(picked))
  if (parts !== undefined)
    first.parts = pickRows(results, places, partsOf, new Float32Array(4 * picked))
  if (features !== undefined && hits > 0) {
    const rows = new Float32Array((picked * features.length) / hits)
    first.features = pickRows(results, places, featuresOf, rows)
  }
  if (shadowScores !== undefined)
    first.shadowScores = pickRows(results, places, shadowOf, new Float32Array(picked))
  if (explain !== undefined)
    first.explain = places.map(([result, at]) => results[result]?.explain?.[at] ?? '{}')
  first.ids = ids
  first.ords = ords
  first.scores = scores
}

const idsOf = ({ ids }: SearchResult) => ids
const ordsOf = ({ ords }: SearchResult) => ords
const scoresOf = ({ scores }: SearchResult) => scores
const partsOf = ({ parts }: SearchResult) => parts
const featuresOf = ({ features }: SearchResult) => features
const shadowOf = ({ shadowScores }: SearchResult) => shadowScores

/** Fills `rows` with one row for each place: the one that stands there in the result's list of numbers. */
function pickRows<Rows extends Float32Array | Float64Array>(
  results: readonly SearchResult[],
  places: readonly HitPlace[],
  numbersOf: (result: SearchResult) => Rows | undefined,
  rows: Rows,
): Rows {
  const width = rows.length / places.length
  const lists = results.map(numbersOf)
  for (let place = 0; place < places.length; place++) {
    const [result, at] = places[place] as HitPlace
    const row = lists[result]?.subarray(at * width, (at + 1) * width)
    if (row !== undefined) rows.set(row, place * width)
  }
  return rows
}
