import { type AddedScores, NOTHING_ADDED, PIN } from '../../schema/plan.ts'
import { BOOST_MAX, type DocumentName, type Tuning } from '../../schema/tuning.ts'
import { type Added, ANY_INDEX, packAdded } from './added-scores.ts'

/** Packed documents that are kept. */
const KEPT_MAX = 50_000

/** An index that is searched. */
interface Searched {
  record: { id: number; name: string }
}

/** What a tuning adds, once for each set of indices that it means; names without an index mean the same in all sets. */
interface Packed {
  /** The names of all indices that the tuning's documents say. */
  names: Set<string>
  byIndices: Map<string, AddedScores>
}

let packed = new WeakMap<Tuning, Packed>()
let kept = 0

/** `tunedScores`, packed: for a tuning that is the same object as before mostly what it was then. */
export function packTuned(tuning: Tuning, entries: readonly Searched[]): AddedScores {
  const { pins, boosts } = tuning
  if (pins === undefined && boosts === undefined) return NOTHING_ADDED
  const of = packed.get(tuning) ?? newPacked(tuning)
  const meant = of.names.size === 0 ? '' : idsText(entries, of.names)
  const known = of.byIndices.get(meant)
  if (known !== undefined) return known
  if (kept > KEPT_MAX) [packed, kept] = [new WeakMap(), 0]
  const scores = packAdded(tunedScores(tuning, entries))
  of.byIndices.set(meant, scores)
  packed.set(tuning, of)
  kept += scores.count
  return scores
}

function newPacked({ pins = [], boosts = [] }: Tuning): Packed {
  const names = [...pins, ...boosts].flatMap(({ index }) => (index === undefined ? [] : [index]))
  return { names: new Set(names), byIndices: new Map() }
}

function idsText(entries: readonly Searched[], names: ReadonlySet<string>): string {
  return entries.flatMap(({ record }) => (names.has(record.name) ? [record.id] : [])).join()
}

/**
 * Pins and boosts as additions to scores. Lists of several changes are joined: a document is pinned where it comes first,
 * its boosts are added, and together stay below a pin.
 */
export function tunedScores(
  { pins = [], boosts = [] }: Tuning,
  entries: readonly Searched[],
): Added[] {
  const pinned = pins.map((pin, place) => ({ ...pin, value: PIN * (1 + pins.length - place) }))
  const added = joined(boosts, entries, (sum, { value }) => sum + limited(value))
  return [
    ...joined(pinned, entries, (first, { value }) => (first === 0 ? value : first)),
    ...added.map(([indexId, id, sum]): Added => [indexId, id, limited(sum)]),
  ]
}

/** One addition for each document, in the order in which they come; a value begins at 0. */
function joined<Valued extends DocumentName>(
  documents: readonly Valued[],
  entries: readonly Searched[],
  join: (value: number, document: Valued) => number,
): Added[] {
  const indicesOf = meaningOf(documents, entries)
  const byPlace = new Map<string, Added>()
  for (const document of documents)
    for (const indexId of indicesOf(document)) {
      const place = `${indexId}/${document.id}`
      const added = byPlace.get(place)
      if (added === undefined) byPlace.set(place, [indexId, document.id, join(0, document)])
      else added[2] = join(added[2], document)
    }
  return [...byPlace.values()]
}

/**
 * The indices that a document's name means. One without an index is left to the thread that searches, but for an id that
 * stands with one, too: what is said of the same document is to be joined.
 */
function meaningOf(documents: readonly DocumentName[], entries: readonly Searched[]) {
  const ids = new Map(entries.map(({ record }) => [record.name, record.id]))
  const placed = new Set(documents.flatMap(({ index, id }) => (index === undefined ? [] : [id])))
  const all = [...ids.values()]
  return ({ index, id }: DocumentName): readonly number[] => {
    if (index === undefined) return placed.has(id) ? all : [ANY_INDEX]
    const indexId = ids.get(index)
    return indexId === undefined ? [] : [indexId]
  }
}

function limited(boost: number): number {
  return Math.max(-BOOST_MAX, Math.min(BOOST_MAX, boost))
}
