import type { QueryEvidence, ReformulationEvidence } from '../patterns/evidence.ts'
import { isFarDown } from '../patterns/report.ts'
import type { Proposal } from './suggestions.ts'

const REFORMULATED_MIN = 3
const FREQUENT_MIN = 10
const PIN_SHARE_MIN = 0.5
const BOOST = 0.2

interface Findings {
  queries: readonly QueryEvidence[]
  reformulations: readonly ReformulationEvidence[]
}

/** What the service itself would change, from what searchers do; each with the figures that it rests on. */
export function findProposals({ queries, reformulations }: Findings): Proposal[] {
  return [
    ...queries.flatMap(proposeLift),
    ...reformulations.flatMap((each) => proposeSynonym(each)),
  ]
}

/** Searchers have to look far down: the document that they open should stand higher. */
function proposeLift(query: QueryEvidence): Proposal[] {
  const { queryHash, clicked, clickPosition = 0, documents } = query
  const [first] = documents
  if (!isFarDown(query) || first === undefined) return []
  const share = first.clicks / documents.reduce((sum, { clicks }) => sum + clicks, 0)
  const pinned = share >= PIN_SHARE_MIN
  return [
    {
      kind: 'click_far_down',
      queryHash,
      changes: pinned
        ? { pins: [{ id: first.id }] }
        : { boosts: documents.slice(0, 3).map(({ id }) => ({ id, value: BOOST })) },
      description: `First clicks of "${query.query}" lie at position ${clickPosition.toFixed(1)} on average.`,
      confidence: confidenceOf(clicked),
      evidence: { ...query, share: Number(share.toFixed(4)) },
    },
  ]
}

/** What found nothing, or was not clicked, was found in other words. */
function proposeSynonym(pair: ReformulationEvidence): Proposal[] {
  const { from, fromQuery, toQuery, count, fromNothing, clicked } = pair
  const kind =
    fromNothing >= REFORMULATED_MIN && clicked >= REFORMULATED_MIN
      ? 'zero_result_reformulated'
      : count >= FREQUENT_MIN && clicked >= REFORMULATED_MIN
        ? 'frequent_reformulation'
        : undefined
  const synonyms = synonymOf(fromQuery, toQuery)
  if (kind === undefined || synonyms === undefined) return []
  return [
    {
      kind,
      queryHash: from,
      changes: { synonyms },
      description: `"${fromQuery}" is put as "${toQuery}" ${count} times, ${clicked} of them clicked.`,
      confidence: confidenceOf(clicked),
      evidence: { ...pair },
    },
  ]
}

/** The words in which two queries differ, one way; undefined when neither has words of its own. */
function synonymOf(from: string, to: string): string[][] | undefined {
  const before = wordsOf(from)
  const after = wordsOf(to)
  const left = before.filter((word) => !after.includes(word)).join(' ')
  const right = after.filter((word) => !before.includes(word)).join(' ')
  if (left === '' || right === '') return undefined
  return [[`${left} => ${right}`]]
}

function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Grows with the evidence towards 1: 5 → .5, 20 → .8. */
function confidenceOf(count: number): number {
  return Number((count / (count + 5)).toFixed(4))
}
