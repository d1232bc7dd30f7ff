import type { Tuning } from '../../schema/tuning.ts'

/** Lays tunings over each other, the later winning; maps and lists of documents are joined. */
export function layTunings(tunings: readonly Tuning[]): Tuning {
  const [only] = tunings
  // A copy of a thousand boosts for each search would be kept with its list.
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
