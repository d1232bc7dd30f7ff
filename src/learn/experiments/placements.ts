import type { AppliedVariant } from '../plan/plan.ts'
import { applyingOf, type Placed, placedIn, type Running, type SearchedBy } from './running.ts'

/** Fewer tests than this are asked anew by each search: that takes no longer than it takes to remember them. */
const REMEMBERED_MIN = 8
/** What is remembered of all units together: a unit counts for some, each test that it is in for one more. */
const PLACES_MAX = 400_000
/** What a unit counts for beside its tests. */
const UNIT_PLACES = 16

/**
 * Which of the running tests hold a unit, remembered for its next searches: to ask each of a thousand tests takes half a
 * millisecond. Who is meant by a test's rules, and whether it is over, is asked anew.
 */
export function openPlacements(): (
  running: readonly Running[],
  unit: string,
  seen: SearchedBy,
) => AppliedVariant[] {
  const byUnit = new Map<string, Placed>()
  let of: readonly Running[] = []
  let places = 0

  function remember(unit: string, placed: Placed): void {
    byUnit.set(unit, placed)
    places += UNIT_PLACES + placed.tests.length
    for (const [oldest, { tests }] of byUnit) {
      if (places <= PLACES_MAX) break
      byUnit.delete(oldest)
      places -= UNIT_PLACES + tests.length
    }
  }
  return (running, unit, seen) => {
    if (running.length < REMEMBERED_MIN) return applyingOf(placedIn(running, unit), seen)
    if (running !== of) {
      byUnit.clear()
      of = running
      places = 0
    }
    const known = byUnit.get(unit)
    if (known !== undefined) return applyingOf(known, seen)
    const placed = placedIn(running, unit)
    remember(unit, placed)
    return applyingOf(placed, seen)
  }
}
