import { openBreath } from '../../breath.ts'
import type { Store } from '../../store/store.ts'
import { evidenceBefore } from '../memory/click-memory-evidence.ts'
import { DOCUMENTS_MAX } from '../memory/click-memory-pairs.ts'
import { unpackRemembered } from '../memory/click-memory-rows.ts'
import { type ScoreSettings, writeValues } from '../memory/click-scores.ts'
import { dayOf } from '../wire/duration.ts'
import { type Score, scoreOf } from './score.ts'

/** Pairs with a value that is older than today. */
const SAMPLES_MIN = 20
const READ_ROWS = 64

/**
 * How far click memory has settled: one minus the share of all values that today's evidence moved,
 * Σ|now − without today| / Σ max(|now|, |without today|), over the pairs that were known before today (UTC).
 */
export async function convergence(
  store: Store,
  config: ScoreSettings,
  nowMs: number,
): Promise<Score> {
  const today = dayOf(nowMs)
  let moved = 0
  let mass = 0
  let samples = 0
  let after = ''
  const valuesNow = new Float64Array(DOCUMENTS_MAX)
  const valuesBefore = new Float64Array(DOCUMENTS_MAX)
  const breathe = openBreath()
  for (;;) {
    const rows = [...store.tables.clickMemory.range({ start: after, limit: READ_ROWS })]
    for (const { value } of rows) {
      const all = [...unpackRemembered(value).values()]
      const allEarlier = all.map((evidence) => evidenceBefore(evidence, today))
      writeValues(all, today, config, valuesNow)
      writeValues(allEarlier, today, config, valuesBefore)
      for (const [at, earlier] of allEarlier.entries()) {
        if (earlier.length === 0) continue
        const now = valuesNow[at] as number
        const before = valuesBefore[at] as number
        moved += Math.abs(now - before)
        mass += Math.max(Math.abs(now), Math.abs(before))
        samples += 1
      }
    }
    const last = rows.at(-1)
    if (rows.length < READ_ROWS || last === undefined) break
    // The first key behind it.
    after = `${last.key}\u0001`
    await breathe()
  }
  const value = samples < SAMPLES_MIN || mass === 0 ? undefined : 1 - moved / mass
  return scoreOf(value, samples, { good: 0.8, fair: 0.5 })
}
