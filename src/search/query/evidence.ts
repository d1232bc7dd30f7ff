import type { SearchResult } from '../../native.ts'
import { unpackAdded } from './added-scores.ts'
import type { Ranking } from './ranking-plan.ts'

/** What stands behind a document's learned score, as JSON. */
export type Evidence = [indexId: number, id: string, json: string]

/** What the learning side knows of a document that it moved. */
export type Describe = (
  queryHash: string,
  document: { indexId: number; id: string },
) => object | undefined

/** Most figures that an explanation shows of a number. */
const DIGITS = 6

/** The evidence of all documents that a ranking may move; only explanations ask for it. */
export function evidenceOf({ added }: Ranking, queryHash: string, describe: Describe): Evidence[] {
  return unpackAdded(added).flatMap(([indexId, id, value]): Evidence[] => {
    const known = describe(queryHash, { indexId, id })
    return known === undefined ? [] : [[indexId, id, JSON.stringify({ ...known, value }, short)]]
  })
}

/**
 * Adds `clickMemory` to the explanations of the hits that it moved; `placesOf` tells by which numbers the core may know a
 * document, in this view or another.
 */
export function showEvidence(
  result: SearchResult,
  evidence: readonly Evidence[],
  placesOf: (indexId: number, id: string) => { engineId: number; ord: number }[],
): SearchResult {
  if (result.explain === undefined) return result
  const known = new Map<string, string>()
  for (const [indexId, id, json] of evidence) {
    for (const { engineId, ord } of placesOf(indexId, id)) known.set(`${engineId}/${ord}`, json)
  }
  const explain = result.explain.map((reasons, at) => {
    const json = known.get(`${result.ids[at]}/${result.ords[at]}`)
    return json === undefined ? reasons : `${reasons.slice(0, -1)},"clickMemory":${json}}`
  })
  return { ...result, explain }
}

function short(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value
}
