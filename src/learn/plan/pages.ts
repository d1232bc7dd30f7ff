import { invalid } from '../../errors.ts'
import { type AddedScores, isFirstPage, type ListPlace, NOTHING_ADDED } from '../../schema/plan.ts'
import type { SearchRequest } from '../../schema/search.ts'
import { murmur3 } from '../statistics/murmur3.ts'
import { type KeptList, type KeptLists, keyOf, openKeptLists } from './kept-lists.ts'
import { type LearnedPlan, variantNames } from './plan.ts'
import type { ServedModel } from './ranking.ts'

/** What is kept of a plan: as little as possible, because so many are kept. */
type KeptRanking = Pick<
  LearnedPlan,
  'tuning' | 'added' | 'model' | 'rerankSize' | 'adaptations' | 'experiments' | 'interleaved'
> &
  // These rank through models only.
  Partial<Pick<LearnedPlan, 'clickRates' | 'device' | 'agesAt'>>

/** The ranking of most lists: nothing applies to them. */
const PLAIN: KeptRanking = Object.freeze({
  tuning: {},
  added: NOTHING_ADDED,
  model: undefined,
  adaptations: [],
  experiments: [],
  // No model ranks.
  rerankSize: 0,
  interleaved: undefined,
})

/**
 * What applies to a list, and its mark: a number that is the same for the same ranking. Lists to which the same
 * applies share one.
 */
interface Applied {
  ranking: KeptRanking
  mark: number
  /** The mark of the added scores alone. */
  addedMark: number
  /** See kept-lists.ts. */
  countedIn: number
  /**
   * Whose list it is, and its first page's query id if that was asked for here; only for a list that a variant
   * applied to.
   */
  begun?: { sessionId: string | undefined; queryId: string | undefined }
}

const PLAIN_LIST: KeptList<Applied> = { number: 0, applied: undefined }

/**
 * Keeps what applied to the first page of a list for the pages after it: what was learned in between must not move
 * a hit from one page to another. A cursor names its list; a page without one belongs to the list that its session, or
 * else anybody without a session, began last with the same words. A cursor of a list that is kept no more goes on where
 * the same still applies; where it doesn't, or the core has its model no more, pages would repeat hits and leave others
 * out: throws GENERATION_GONE.
 */
export function openPages(
  make: (search: SearchRequest, queryHash: string) => LearnedPlan,
  stillServed: (model: ServedModel) => ServedModel | undefined,
): (search: SearchRequest, queryHash: string, place: ListPlace) => LearnedPlan {
  const lists = openKeptLists<Applied>()
  const appliedBy = openApplied()

  return (search, queryHash, place) => {
    const plan = make(search, queryHash)
    const key = keyOf(`${search.sessionId ?? ''} ${place.text}`)
    const before = isFirstPage(search) ? undefined : find(lists, key, place)
    if (before !== undefined && hasModels(before, stillServed)) return laterPage(plan, before)
    const applied = appliedBy(plan)
    if (place.list !== undefined && place.list % MARKS !== (applied?.mark ?? 0)) throw gone()
    if (applied !== undefined && plan.experiments.length > 0) {
      const queryId = isFirstPage(search) ? place.queryId : undefined
      applied.begun = { sessionId: plan.sessionId, queryId }
    }
    const number = lists.keep(key, applied, beginningOf(plan, search, place))
    plan.list = applied === undefined ? 0 : nameOf(number, applied)
    return plan
  }
}

/** The query id by which later pages name their list: of the first page of somebody's, written down. */
function beginningOf(
  { recorded }: LearnedPlan,
  search: SearchRequest,
  { queryId }: ListPlace,
): string | undefined {
  return isFirstPage(search) && recorded?.unit !== undefined ? queryId : undefined
}

/** Number of marks. The number of a list stands before its mark, in a whole number of 53 bits. */
const MARKS = 2 ** 20

/** The name of a list: its number, and behind that the mark of its ranking. */
function nameOf(number: number, applied: Applied | undefined): number {
  return applied === undefined ? 0 : number * MARKS + applied.mark
}

function find(
  lists: KeptLists<Applied>,
  key: number,
  { list }: ListPlace,
): KeptList<Applied> | undefined {
  const own = lists.find(key)
  // By its number alone it is not known whose list it is, and which page was the first.
  if (list === undefined || (own !== undefined && nameOf(own.number, own.applied) === list))
    return own
  if (list === 0) return PLAIN_LIST
  const numbered = lists.numbered(Math.floor(list / MARKS))
  // Another list may have its number, for they count from 1 again after a start.
  return numbered?.applied?.mark === list % MARKS ? numbered : undefined
}

function gone(): Error {
  const message =
    'goes on in a list whose order has changed, and as it was it is held no more; search again from the first page'
  return invalid('cursor', message, 'GENERATION_GONE')
}

/** What applies by a plan; undefined where nothing does. */
function openApplied(): (plan: LearnedPlan) => Applied | undefined {
  // Mostly nothing but a model and what was learned of single documents applies: the same until more of them is learned.
  const known = new WeakMap<AddedScores, Applied>()

  return (plan) => {
    if (isPlain(plan)) return undefined
    const { tuning, added, model, rerankSize, adaptations, experiments, interleaved } = plan
    const last = known.get(added)
    if (last !== undefined && isSame(last.ranking, plan)) return last
    const kept = { tuning, added, model, rerankSize, adaptations, experiments, interleaved }
    const { clickRates, device, agesAt } = plan
    const ranking = isModelled(plan) ? { ...kept, clickRates, device, agesAt } : kept
    const addedMark = last?.addedMark ?? murmur3(added.documents, murmur3(added.values, 0))
    const rest = restOf(ranking)
    const mark = (rest === '' ? addedMark : murmur3(rest, addedMark)) % MARKS
    const applied = { ranking, mark, addedMark, countedIn: 0 }
    known.set(added, applied)
    return applied
  }
}

function isPlain({ tuning, added, model, adaptations, experiments }: LearnedPlan): boolean {
  return (
    added.count === 0 &&
    model === undefined &&
    adaptations.length + experiments.length === 0 &&
    Object.keys(tuning).length === 0
  )
}

/** Whether a model has a say in the list. */
function isModelled({ model, interleaved }: Pick<LearnedPlan, 'model' | 'interleaved'>): boolean {
  return model !== undefined || interleaved?.against.model !== undefined
}

/** Whether what applied is known to apply by a plan of the same additions, too. */
function isSame(ranking: KeptRanking, plan: LearnedPlan): boolean {
  const { tuning, model, rerankSize, adaptations, experiments } = ranking
  const named = [adaptations, experiments, plan.adaptations, plan.experiments]
  return (
    tuning === plan.tuning &&
    model === plan.model &&
    rerankSize === plan.rerankSize &&
    (model === undefined || hasSameFeatures(ranking, plan)) &&
    named.every(({ length }) => length === 0)
  )
}

function hasSameFeatures(
  ranking: KeptRanking,
  { clickRates, device, agesAt }: LearnedPlan,
): boolean {
  return ranking.clickRates === clickRates && ranking.device === device && ranking.agesAt === agesAt
}

/** All but what was learned of single documents. What is tuned goes by the changes and variants that tune it. */
function restOf(ranking: KeptRanking): string {
  const { model, rerankSize, adaptations, experiments, interleaved } = ranking
  const { clickRates, device, agesAt } = ranking
  if (model === undefined && adaptations.length + experiments.length === 0) return ''
  return JSON.stringify([
    model?.name,
    rerankSize,
    clickRates?.edition,
    device,
    agesAt,
    adaptations,
    variantNames(experiments),
    interleaved?.seed,
  ])
}

/** Whether the core still has what ranks a list; it may know that by another handle, if it was loaded anew. */
function hasModels(
  { applied }: KeptList<Applied>,
  stillServed: (model: ServedModel) => ServedModel | undefined,
): boolean {
  for (const ranking of [applied?.ranking, applied?.ranking.interleaved?.against]) {
    if (ranking?.model === undefined) continue
    const served = stillServed(ranking.model)
    if (served === undefined) return false
    ranking.model = served
  }
  return true
}

/** Only first pages are drawn, and only they are judged; a list that is dealt is dealt as a whole. */
function laterPage(plan: LearnedPlan, kept: KeptList<Applied>): LearnedPlan {
  const { number, applied } = kept
  const ranking = applied?.ranking ?? PLAIN
  const list = nameOf(number, applied)
  const later = { ...plan, ...ranking, list }
  later.exploration = later.shadow = undefined
  if (plan.recorded !== undefined) later.recorded = recordedOf(plan, kept)
  return later
}

/**
 * A list is counted, not its pages: they name its first one, as long as its session lasts; a page that is nobody's names
 * none, since clicks on it count for no list. Whoever goes on, by a cursor, in the list of somebody else is in none of its
 * variants.
 */
function recordedOf(
  { recorded, sessionId }: LearnedPlan,
  { applied, queryId }: KeptList<Applied>,
): NonNullable<LearnedPlan['recorded']> {
  const { ranking = PLAIN, begun = { sessionId, queryId } } = applied ?? {}
  const isOwn = begun.sessionId === sessionId
  const said = { ...recorded, variants: isOwn ? variantNames(ranking.experiments) : [] }
  const list = isOwn && recorded?.unit !== undefined ? begun.queryId : undefined
  return list === undefined ? said : { ...said, list }
}
