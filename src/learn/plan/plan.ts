import { oneSpelling } from '../../ids.ts'
import { deviceNumber, isFirstPage } from '../../schema/plan.ts'
import type { SearchRequest } from '../../schema/search.ts'
import type { Tuning } from '../../schema/tuning.ts'
import type { Impression } from '../facts.ts'
import { isDrawn } from '../impressions/draw.ts'
import { liveUnit, type SessionGlimpse, strangerOf, unitOfSession } from '../sessions/glimpse.ts'
import { hourOf } from '../wire/duration.ts'
import {
  knowing,
  type LearnedRanking,
  mayLearn,
  type RankingParts,
  rankingBy,
  type ServedModel,
} from './ranking.ts'

/** A variant that a unit is in. */
export interface AppliedVariant {
  testId: string
  testName: string
  variantId: string
  tuning: Tuning
  /** Interleaving: the other ranking, and whose the two are; both are dealt into one list as teams. */
  against?: { tuning: Tuning; variantIds: readonly [string, string] }
}

/** A ranking change that is in force for a query. */
export interface AppliedAdaptation {
  adaptationId: string
  version: number
  tuning: Tuning
}

/** Everything that applies to one search besides its own words, made from memory in microseconds. */
export interface LearnedPlan extends LearnedRanking {
  /** Number of the list, for its cursors; 0 when nothing applied to its first page. */
  list: number
  sessionId: string | undefined
  /** Undefined: nobody's search; nothing is learned from it and nothing is drawn. */
  unit: string | undefined
  shadow: ServedModel | undefined
  exploration: { seed: number; epsilon: number; temperature: number; explored: boolean } | undefined
  /** Another ranking whose order is dealt, with this one's, into the first `depth` hits of the list. */
  interleaved: Dealt | undefined
  adaptations: readonly string[]
  experiments: readonly { testId: string; testName: string; variantId: string }[]
  /** Whether features are written down: only where somebody could teach something by them. */
  featured: boolean
  /** The core's number of what the searcher holds: a feature. */
  device: number
  /** The hour, counted from 1970 on, for which features tell ages. */
  agesAt: number
  /** What the impression says besides what was found; undefined when searches are not recorded. */
  recorded: Pick<Impression, 'sessionId' | 'unit' | 'deviceType' | 'variants' | 'list'> | undefined
}

interface Dealt {
  testId: string
  variantIds: readonly [string, string]
  against: LearnedRanking
  seed: number
  depth: number
}

/** The parts of learning that a plan is made of. */
export interface PlanParts extends RankingParts {
  glimpse: (sessionId: string) => SessionGlimpse | undefined
  variants: (unit: string, session: SessionGlimpse) => AppliedVariant[]
  adaptations: (queryHash: string, unit: string | undefined) => AppliedAdaptation[]
  shadowModel: () => ServedModel | undefined
  settings: RankingParts['settings'] & { explorationShare: number; explorationTemperature: number }
  /** Whether the impression of a search without a session may be written now. */
  mayRecord: () => boolean
  /** Lays tunings over each other, the later winning; see tuning-layers.ts. */
  lay: (tunings: readonly Tuning[]) => Tuning
  /** A fresh number from 0 to 2³² − 1. */
  seed: () => number
  clock: () => number
}

/** How far down a page may be drawn, and a list dealt. */
const DRAWN_MAX = 100

/** What applies to this search, in the order base settings < adaptations < variants; its own words win later. */
export function makePlan(search: SearchRequest, queryHash: string, parts: PlanParts): LearnedPlan {
  const { settings } = parts
  const session = search.sessionId === undefined ? undefined : parts.glimpse(search.sessionId)
  const unit = liveUnit(session)
  const adaptations = settings.learning ? parts.adaptations(queryHash, unit) : NOTHING
  const variants =
    search.sessionId === undefined ? NOTHING : variantsOf(search.sessionId, session, parts)
  const asked = { queryHash, unit }
  const { tuning, added, clickRates, model, rerankSize } = rankingBy(
    tuningOf(adaptations, variants, parts),
    asked,
    parts,
  )
  const learning = mayLearn(tuning, parts)
  const explores = learning && unit !== undefined && settings.explorationShare > 0
  return {
    list: UNNUMBERED,
    sessionId: search.sessionId,
    unit,
    tuning,
    added,
    clickRates,
    model,
    // Its gate reads only pages that somebody saw: it must not be asked more often, and give up sooner, because of
    // others.
    shadow:
      learning && unit !== undefined ? knowing(parts.shadowModel(), queryHash, parts) : undefined,
    rerankSize,
    // An explanation is of the ranking, not of a draw.
    exploration:
      explores && mayDraw(search) && search.explain !== true ? explorationOf(parts) : undefined,
    interleaved: mayDraw(search) ? dealtOf({ variants, adaptations }, asked, parts) : undefined,
    adaptations: adaptations.length === 0 ? NOTHING : adaptations.map(nameOf),
    experiments: variants.length === 0 ? NOTHING : variants.map(experimentOf),
    featured: settings.learning && unit !== undefined,
    device: deviceNumber(session?.metadata.deviceType),
    agesAt: hourOf(parts.clock()),
    recorded:
      settings.learning && (unit !== undefined || parts.mayRecord())
        ? recorded(search, session, unit, variants)
        : undefined,
  }
}

/** A test's variant goes with the session's name: it is there before the session is, and when it is over. */
function variantsOf(
  sessionId: string,
  session: SessionGlimpse | undefined,
  { variants }: PlanParts,
): AppliedVariant[] {
  if (session !== undefined) return variants(unitOfSession(session), session)
  return variants(sessionId, strangerOf(sessionId))
}

/**
 * Stands where a plan's list will have its number, which it gets last. Most such numbers are no small integers: if this
 * were one, V8 would lay plans out for small integers, and have to lay each of them out anew.
 */
const UNNUMBERED = Number.NaN

/** To most searches nothing applies: that is found out, and said, without lists of its own. */
const NOTHING: readonly never[] = []
const UNTUNED: Tuning = Object.freeze({})

function nameOf({ adaptationId, version }: AppliedAdaptation): string {
  return `${adaptationId}@${version}`
}

function experimentOf({ testId, testName, variantId }: AppliedVariant) {
  return { testId, testName, variantId }
}

function tuningOf(
  adaptations: readonly AppliedAdaptation[],
  variants: readonly AppliedVariant[],
  { lay }: PlanParts,
): Tuning {
  if (adaptations.length === 0 && variants.length === 0) return UNTUNED
  return lay([...adaptations, ...variants].map(({ tuning }) => tuning))
}

function explorationOf({ settings, seed: next }: PlanParts): LearnedPlan['exploration'] {
  const { explorationShare: epsilon, explorationTemperature: temperature } = settings
  const seed = next()
  return { seed, epsilon, temperature, explored: isDrawn({ seed, epsilon }) }
}

/** The ranking that is dealt into the list, of the first test that deals. */
function dealtOf(
  applied: { variants: readonly AppliedVariant[]; adaptations: readonly AppliedAdaptation[] },
  asked: { queryHash: string; unit: string | undefined },
  parts: PlanParts,
): Dealt | undefined {
  const { variants, adaptations } = applied
  const dealt = variants.find(({ against }) => against !== undefined)
  if (dealt?.against === undefined) return undefined
  const { testId, against } = dealt
  // It takes the variant's place among all that applies: what that one sets is none of its own.
  const own = variants.map((variant) => (variant === dealt ? against.tuning : variant.tuning))
  const tunings = [...adaptations.map(({ tuning }) => tuning), ...own]
  const ranking = rankingBy(parts.lay(tunings), asked, parts)
  const { variantIds } = against
  return { testId, variantIds, against: ranking, seed: parts.seed(), depth: DRAWN_MAX }
}

/** Whether an order may be drawn: never from later pages on, for sorted lists, or very long pages. */
function mayDraw(search: SearchRequest): boolean {
  const { size = 10, sort, generation } = search
  const isPlain = sort === undefined && generation === undefined
  return isFirstPage(search) && size <= DRAWN_MAX && isPlain
}

function recorded(
  search: SearchRequest,
  session: SessionGlimpse | undefined,
  unit: string | undefined,
  variants: readonly AppliedVariant[],
): LearnedPlan['recorded'] {
  const deviceType = session?.metadata.deviceType
  const said: NonNullable<LearnedPlan['recorded']> = {
    variants: variantNames(variants),
  }
  // In its own spelling: in several ones a session would count several times.
  const sessionId = session?.sessionId ?? oneSpelling(search.sessionId ?? '')
  if (sessionId !== '') said.sessionId = sessionId
  if (unit !== undefined) said.unit = unit
  if (typeof deviceType === 'string') said.deviceType = deviceType
  return said
}

/** The variants as an impression names them. */
export function variantNames(
  variants: readonly Pick<AppliedVariant, 'testId' | 'variantId'>[],
): [string, string][] {
  return variants.map(({ testId, variantId }) => [testId, variantId])
}
