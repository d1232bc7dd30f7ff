import { hash } from 'node:crypto'
import { invalid } from '../../errors.ts'
import { type AddedScores, isFirstPage, type ListPlace, NOTHING_ADDED } from '../../schema/plan.ts'
import type { SearchRequest } from '../../schema/search.ts'
import { murmur3 } from '../statistics/murmur3.ts'
import { type LearnedPlan, variantNames } from './plan.ts'

/**
 * So many lists that were begun last are kept, and up to twice as many: they are dropped by the generation, because a
 * map from which the oldest is taken out one by one is rehashed all the time.
 */
const LISTS_MIN = 10_000
/**
 * A generation is full with fewer when they hold so much of what was learned, in letters: of a query two hundred documents
 * may be named, by up to 512 letters each, and with every click by others.
 */
const LETTERS_MAX = 32 << 20

/** What a plan says of the ranking: as little as possible, because so many are kept. */
type KeptRanking = Pick<
  LearnedPlan,
  'tuning' | 'added' | 'model' | 'rerankSize' | 'adaptations' | 'experiments' | 'interleaved'
> &
  // Click rates rank through models only.
  Partial<Pick<LearnedPlan, 'clickRates'>>

/** The ranking of most lists: nothing applies to them. */
const PLAIN: KeptRanking = Object.freeze({
  ...{ tuning: {}, added: NOTHING_ADDED, model: undefined, adaptations: [], experiments: [] },
  // No model ranks.
  rerankSize: 0,
  interleaved: undefined,
})

interface List {
  /** Its number, and behind that the mark of its ranking; 0: nothing applied to its first page. */
  name: number
  ranking: KeptRanking
}

const PLAIN_LIST: List = { name: 0, ranking: PLAIN }

/**
 * Keeps what applied to the first page of a list for the pages after it: what was learned in between must not move
 * a hit from one page to another. A cursor names its list; a page without one belongs to the list that its session, or
 * else anybody without a session, began last with the same words. A cursor of a list that is kept no more goes on where
 * the same still applies; where it doesn't, pages would repeat hits and leave others out: throws GENERATION_GONE.
 */
export function openPages(
  make: (search: SearchRequest, queryHash: string) => LearnedPlan,
): (search: SearchRequest, queryHash: string, place: ListPlace) => LearnedPlan {
  const lists = openLists()
  let begun = 0

  return (search, queryHash, place) => {
    const plan = make(search, queryHash)
    const key = keyOf(search.sessionId, place.text)
    const before = isFirstPage(search) ? undefined : lists.find(place.list ?? key)
    if (before !== undefined) return laterPage(plan, before)
    const ranking = rankingOf(plan)
    const mark = markOf(ranking)
    if (place.list !== undefined && place.list % MARKS !== mark) throw gone()
    if (ranking !== PLAIN) {
      begun += 1
      plan.list = begun * MARKS + mark
    }
    lists.keep(ranking === PLAIN ? PLAIN_LIST : { name: plan.list, ranking }, key)
    return plan
  }
}

/** So many marks tell rankings apart; numbers of lists stand before them in a whole number of 53 bits. */
const MARKS = 2 ** 20

/** The same for the same ranking. What is tuned goes by the changes and variants that tune it. */
function markOf(ranking: KeptRanking): number {
  if (ranking === PLAIN) return 0
  const { added, model, rerankSize, adaptations, experiments, clickRates, interleaved } = ranking
  const rates = model === undefined ? undefined : clickRates?.edition
  // To most lists nothing but what was learned of single documents applies, and each search asks.
  const isLearnedAlone = model === undefined && adaptations.length + experiments.length === 0
  const rest = isLearnedAlone
    ? ''
    : JSON.stringify([
        ...[model?.name, rerankSize, rates, adaptations],
        ...[variantNames(experiments), interleaved?.seed],
      ])
  return murmur3(added.documents, murmur3(added.values, murmur3(rest, 0))) % MARKS
}

function gone(): Error {
  const message =
    'goes on in a list whose order has changed, and as it was it is held no more; search again from the first page'
  return invalid('cursor', message, 'GENERATION_GONE')
}

/** Characters of a key that is kept as it is; a search with a vector, say, has a megabyte of them. */
const KEY_MAX = 256

function keyOf(sessionId = '', text: string): string {
  const key = `${sessionId} ${text}`
  return key.length <= KEY_MAX ? key : hash('sha256', key, 'base64url')
}

/** Lists that were begun one after the other. */
interface Generation {
  byKey: Map<string, List>
  /** By their numbers, which count up from this one. */
  first: number
  numbered: List[]
}

function openLists() {
  let young = newGeneration(1)
  let old = newGeneration(1)
  let kept = 0
  let letters = 0
  /** Names of documents that lists of the young generation hold already: they stay while the values beside them move. */
  const known = new Set<string>()
  const at = ({ first, numbered }: Generation, name: number) =>
    numbered[Math.floor(name / MARKS) - first]
  return {
    find: (name: string | number): List | undefined => {
      if (typeof name === 'string') return young.byKey.get(name) ?? old.byKey.get(name)
      return name === 0 ? PLAIN_LIST : (at(young, name) ?? at(old, name))
    },
    keep: (list: List, key: string): void => {
      young.byKey.set(key, list)
      if (list.name > 0) young.numbered.push(list)
      kept += 1
      letters += lettersOf(list.ranking.added, known)
      if (kept < LISTS_MIN && letters < LETTERS_MAX) return
      old = young
      young = newGeneration(old.first + old.numbered.length)
      kept = letters = 0
      known.clear()
    },
  }
}

/** Of what was added, as far as it is in no list yet. */
function lettersOf({ documents, values }: AddedScores, known: Set<string>): number {
  if (known.has(documents)) return values.length
  known.add(documents)
  return documents.length + values.length
}

function newGeneration(first: number): Generation {
  return { byKey: new Map(), first, numbered: [] }
}

function rankingOf(plan: LearnedPlan): KeptRanking {
  const { tuning, added, model, rerankSize, adaptations, experiments } = plan
  const { clickRates, interleaved } = plan
  const isPlain =
    Object.keys(tuning).length === 0 &&
    added.count === 0 &&
    model === undefined &&
    adaptations.length === 0 &&
    experiments.length === 0
  if (isPlain) return PLAIN
  return { tuning, added, model, rerankSize, adaptations, experiments, clickRates, interleaved }
}

/** Only first pages are drawn, and only they are judged; a list that is dealt is dealt as a whole. */
function laterPage(plan: LearnedPlan, { name, ranking }: List): LearnedPlan {
  const later = { ...plan, ...ranking, list: name }
  later.exploration = later.shadow = undefined
  if (plan.recorded !== undefined)
    later.recorded = { ...plan.recorded, variants: variantNames(ranking.experiments) }
  return later
}
