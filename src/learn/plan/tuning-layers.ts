import type { Tuning } from '../../schema/tuning.ts'

/** Tunings, entries of laid ones, and steps to them that are kept at most: some ten megabytes. */
const KEPT_MAX = 100_000

/** What is laid over what. */
interface Layer {
  /** All up to here, laid over each other; undefined as long as nobody asked for it. */
  laid: Tuning | undefined
  above: Map<Tuning, Layer>
}

/**
 * Lays tunings as `layTunings` does, and the same ones mostly once: a copy of a thousand boosts for each search would be
 * kept with its list.
 */
export function openLayers(): (tunings: readonly Tuning[]) => Tuning {
  let bottom = newLayer()
  let kept = 0

  function above(layer: Layer, tuning: Tuning): Layer {
    const known = layer.above.get(tuning)
    if (known !== undefined) return known
    const next = newLayer()
    layer.above.set(tuning, next)
    kept += 1
    return next
  }
  return (tunings) => {
    if (tunings.length === 1) return layTunings(tunings)
    // Layers of users in many tests, and of changes that are over, are never asked for again.
    if (kept > KEPT_MAX) [bottom, kept] = [newLayer(), 0]
    const top = tunings.reduce(above, bottom)
    if (top.laid === undefined) {
      top.laid = layTunings(tunings)
      kept += sizeOfTuning(top.laid)
    }
    return top.laid
  }
}

function newLayer(): Layer {
  return { laid: undefined, above: new Map() }
}

/** How many fields, documents and rules of synonyms a tuning names: what decides how much room it takes. */
export function sizeOfTuning({ fieldWeights, synonyms, pins, boosts }: Tuning): number {
  const fields = fieldWeights === undefined ? 0 : Object.keys(fieldWeights).length
  return fields + (synonyms?.length ?? 0) + (pins?.length ?? 0) + (boosts?.length ?? 0)
}

/** Lays tunings over each other, the later winning; maps and lists of documents are joined. */
export function layTunings(tunings: readonly Tuning[]): Tuning {
  const [only] = tunings
  if (only !== undefined && tunings.length === 1) return only
  const laid: Tuning = {}
  // Joined at the end: of a thousand, each would else be copied a thousand times.
  const all: Joined = { fieldWeights: [], synonyms: [], pins: [], boosts: [] }
  for (const tuning of tunings) {
    const { fieldWeights, synonyms, pins, boosts, ...plain } = tuning
    Object.assign(laid, plain)
    if (fieldWeights !== undefined) all.fieldWeights.push(fieldWeights)
    if (synonyms !== undefined) all.synonyms.push(synonyms)
    if (pins !== undefined) all.pins.push(pins)
    if (boosts !== undefined) all.boosts.push(boosts)
  }
  if (all.fieldWeights.length > 0) laid.fieldWeights = joinedWeights(all.fieldWeights)
  if (all.synonyms.length > 0) laid.synonyms = all.synonyms.flat()
  if (all.pins.length > 0) laid.pins = all.pins.reverse().flat()
  if (all.boosts.length > 0) laid.boosts = all.boosts.flat()
  return laid
}

/** What tunings say of the settings of which none replaces another. */
type Joined = {
  [Name in 'fieldWeights' | 'synonyms' | 'pins' | 'boosts']: NonNullable<Tuning[Name]>[]
}

function joinedWeights(maps: readonly Record<string, number>[]): Record<string, number> {
  if (maps.length <= 2) return { ...maps[0], ...maps[1] }
  return Object.fromEntries(maps.flatMap((map) => Object.entries(map)))
}
