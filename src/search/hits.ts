import type { SearchResult } from '../native.ts'

/** Where a hit of a new page comes from: which result, and its place there. */
export type HitPlace = [result: number, at: number]

/** A page whose hits are picked from one or several results; everything else is the first result's. */
export function pickHits(results: SearchResult[], places: HitPlace[]): SearchResult {
  const [first] = results
  if (first === undefined) throw new Error('There is no result to pick from.')
  const numbers = (pick: (result: SearchResult) => ArrayLike<number>): number[] =>
    places.map(([result, at]) => {
      const from = results[result]
      return (from === undefined ? undefined : pick(from)[at]) ?? Number.NaN
    })
  const { explain, features, shadowScores, ...same } = first
  return {
    ...same,
    ids: Float64Array.from(numbers(({ ids }) => ids)),
    ords: Float64Array.from(numbers(({ ords }) => ords)),
    scores: Float64Array.from(numbers(({ scores }) => scores)),
    ...(explain === undefined
      ? {}
      : { explain: places.map(([result, at]) => results[result]?.explain?.[at] ?? '{}') }),
    ...(features === undefined ? {} : { features: pickRows(results, places) }),
    ...(shadowScores === undefined
      ? {}
      : { shadowScores: Float32Array.from(numbers((result) => result.shadowScores ?? [])) }),
  }
}

function pickRows(results: SearchResult[], places: HitPlace[]): Float32Array {
  const width = featureCount(results[0])
  const rows = new Float32Array(width * places.length)
  places.forEach(([result, at], place) => {
    const from = results[result]?.features
    if (from !== undefined) rows.set(from.subarray(at * width, (at + 1) * width), place * width)
  })
  return rows
}

/** Numbers that each hit has in the feature block. */
function featureCount(result: SearchResult | undefined): number {
  if (result?.features === undefined || result.ords.length === 0) return 0
  return result.features.length / result.ords.length
}
