import { RELEARNING } from '../src/learn/loop/fold.ts'
import { judgeCanary } from '../src/learn/models/canary.ts'
import {
  columnsFor,
  compareRankers,
  loggedRanker,
  type Ranker,
  rankerOf,
  upTo,
} from '../src/learn/models/estimate.ts'
import { blankRow, type Page, shownPages } from '../src/learn/models/pages.ts'
import { readState } from '../src/learn/models/state.ts'
import type { PlaceChances } from '../src/learn/statistics/place-chances.ts'
import { native } from '../src/native.ts'
import type { VersionName } from '../src/schema/model.ts'
import type { GateReport } from '../src/schema/model-record.ts'
import { openReader, type Reader } from '../src/store/reader.ts'

// Background work.
native.giveWay(10)

/** A version, and how many hits of a list it ranks. */
interface Serving extends VersionName {
  depth: number
}

interface GateLimits {
  dataDir: string
  candidate: Serving
  chances: PlaceChances
  /** Click rate of a document that nobody looked at. */
  priorRate: number
  effectiveUnitsMin: number
  /** The lower bound of the gain must be above this. */
  liftMin: number
}

export type GateInput = GateLimits &
  (
    | { gate: 'HELD_OUT'; active?: Serving; heldOut: boolean; sinceMs: number }
    | { gate: 'SHADOW'; active?: Serving; sinceMs: number }
    | { gate: 'CANARY'; trial: number; searchesMin: number; ranked: number }
  )

export type GateOutput = Omit<GateReport, 'timeMs'>

const PAGES_MAX = 20_000

/**
 * Whether a model may go one step further: by estimate on logged pages, or by what its own users did. Undefined while
 * that is being folded anew: it is not whole then.
 */
export function gate(input: GateInput): GateOutput | undefined {
  const reader = openReader(input.dataDir)
  if (reader.mark(RELEARNING) !== undefined) return undefined
  if (input.gate === 'CANARY') {
    const units = reader.trialUnits(input.trial)
    return { gate: 'CANARY', ...judgeCanary(units, input) }
  }
  const known = native.featureNames()
  const shadow = `${input.candidate.modelId}@${input.candidate.version}`
  const pages = shownPages(reader, {
    blank: blankRow(known, input.priorRate),
    chances: input.chances,
    sinceMs: input.sinceMs,
    movable: true,
    limit: PAGES_MAX,
    ...(input.gate === 'HELD_OUT' && input.heldOut ? { heldOut: true } : {}),
    wanted: ({ model, shadowModel }) =>
      (input.gate !== 'SHADOW' || shadowModel === shadow) &&
      // In what order its hits stood before a model ranked them, a page does not tell.
      (input.active !== undefined || model === undefined),
  })
  const candidate: Ranker =
    input.gate === 'SHADOW'
      ? upTo(input.candidate.depth, ({ shadow: said, scores }) => said?.scores ?? scores)
      : modelRanker(reader, input.candidate, known, pages)
  const baseline = liveRanker(reader, input.active, known, pages)
  const { effectiveUnitsMin, liftMin } = input
  const verdict = compareRankers(pages, { candidate, baseline }, effectiveUnitsMin)
  const figures = { pages: pages.length, effectiveUnitsMin, liftMin, ...verdict }
  return { gate: input.gate, outcome: outcomeOf(verdict, liftMin), figures }
}

type Verdict = ReturnType<typeof compareRankers>

/** More evidence may still decide while the interval holds the least gain. */
function outcomeOf(verdict: Verdict, liftMin: number): GateOutput['outcome'] {
  if (verdict.verdict === 'not_yet') return 'not_yet'
  if (verdict.interval.low > liftMin) return 'pass'
  return verdict.interval.high <= liftMin ? 'refuse' : 'not_yet'
}

/** Who ranks now: the order as it was logged, if that was this model's, else what it says of the page. */
function liveRanker(
  reader: Reader,
  active: Serving | undefined,
  known: string[],
  pages: Page[],
): Ranker {
  if (active === undefined) return loggedRanker
  const name = `${active.modelId}@${active.version}`
  const says = modelRanker(reader, active, known, pages)
  return (page, at) => (page.model === name ? page.scores : says(page, at))
}

function modelRanker(
  reader: Reader,
  { modelId, version, depth }: Serving,
  known: string[],
  pages: Page[],
): Ranker {
  const bytes = reader.modelState(modelId, version)
  if (bytes === undefined) throw new Error('MODEL_NOT_FOUND: The state of this model is gone.')
  const state = JSON.parse(bytes.toString()) as Record<string, unknown>
  const { model, features = [], reasons } = readState(state, known)
  if (model === undefined) throw new Error(`MODEL_NOT_SERVABLE: ${reasons.join(' ')}`)
  const scores = native.predict(model, columnsFor(pages, known, features))
  return upTo(depth, rankerOf(pages, scores))
}
