import type { QueryEvidence, ReformulationEvidence } from '../patterns/evidence.ts'
import { isFarDown } from '../patterns/report.ts'
import { inItsIndex, liveDocuments } from './live-documents.ts'
import type { Proposal } from './suggestions.ts'
import { synonymPair } from './synonym-pair.ts'

/** Reformulations of a query that ended in a click, and such as began with nothing found. */
const REFORMULATED_MIN = 3
/** Reformulations of a query that did find something. */
const FREQUENT_MIN = 10
/** Share of a query's searches that went on to another one with which it has no word in common. */
const FOLLOWED_SHARE_MIN = 0.3
/** Ways back for each way there. */
const BACK_SHARE_MAX = 0.5
/** Share of a query's clicks from which the document that has it is pinned; below, those with most clicks are boosted. */
const PIN_SHARE_MIN = 0.5
/** Added to their scores; 1 is the span of the fused score. */
const BOOST = 0.2

interface Findings {
  queries: readonly QueryEvidence[]
  reformulations: readonly ReformulationEvidence[]
}

/** What the service itself would change, from what searchers do; each with the figures that it rests on. */
export function findProposals({ queries, reformulations }: Findings): Proposal[] {
  const searches = new Map(queries.map((query) => [query.queryHash, query.searches]))
  const counts = new Map(reformulations.map(({ from, to, count }) => [`${from} ${to}`, count]))
  return [
    ...queries.flatMap(proposeLift),
    ...reformulations.flatMap((pair) => {
      const back = counts.get(`${pair.to} ${pair.from}`) ?? 0
      // What is asked too seldom to be counted says nothing of how many went on.
      return proposeSynonym(pair, back, searches.get(pair.from) ?? Infinity)
    }),
  ]
}

/** Searchers have to look far down: the document that they open should stand higher. */
function proposeLift(query: QueryEvidence): Proposal[] {
  const { queryHash, placed, clickPosition = 0 } = query
  const documents = liveDocuments(query)
  const [first] = documents
  if (!isFarDown(query) || first === undefined) return []
  const share = first.clicks / documents.reduce((sum, { clicks }) => sum + clicks, 0)
  const pinned = share >= PIN_SHARE_MIN
  return [
    {
      kind: 'click_far_down',
      queryHash,
      changes: pinned
        ? { pins: [inItsIndex(first)] }
        : { boosts: documents.slice(0, 3).map((each) => ({ ...inItsIndex(each), value: BOOST })) },
      description: `First clicks of "${query.query}" lie at position ${clickPosition.toFixed(1)} on average.`,
      confidence: confidenceOf(placed),
      evidence: { ...query, share: Number(share.toFixed(4)) },
    },
  ]
}

/**
 * What found nothing, or was not clicked, was found in other words. Queries without a word in common are a matter each,
 * unless many of those who asked the first went on to the second; and who goes back and forth compares two things.
 */
function proposeSynonym(pair: ReformulationEvidence, back: number, searches: number): Proposal[] {
  const { from, fromQuery, toQuery, count, clicked } = pair
  const kind = kindOf(pair)
  const words = synonymPair(fromQuery, toQuery)
  if (kind === undefined || words === undefined || back > BACK_SHARE_MAX * count) return []
  if (!words.isShared && count < FOLLOWED_SHARE_MIN * searches) return []
  return [
    {
      kind,
      queryHash: from,
      changes: { synonyms: [[`${words.left} => ${words.right}`]] },
      description: `"${fromQuery}" is put as "${toQuery}" ${count} times, ${clicked} of them clicked.`,
      confidence: confidenceOf(clicked),
      evidence: { ...pair },
    },
  ]
}

function kindOf({ count, fromNothing, clicked }: ReformulationEvidence) {
  if (clicked < REFORMULATED_MIN) return undefined
  if (fromNothing >= REFORMULATED_MIN) return 'zero_result_reformulated'
  return count >= FREQUENT_MIN ? 'frequent_reformulation' : undefined
}

/** Grows with the evidence towards 1: 5 → .5, 20 → .8. */
function confidenceOf(count: number): number {
  return Number((count / (count + 5)).toFixed(4))
}
