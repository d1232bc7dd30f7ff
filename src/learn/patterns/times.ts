import type { LastSearch } from '../../schema/pattern-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import { type Fact, type Impression, listOf } from '../facts.ts'
import { hasOpened, isOfUnshown } from '../feedback/feedback-entries.ts'
import { isReformulated } from './last-searches.ts'

/** When each query was asked, by its hash. */
export function timesOfQueries(facts: readonly Fact[]): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (const fact of facts) {
    const list = firstPage(fact)
    if (list !== undefined) note(times, list.queryHash, list.timeMs)
  }
  return times
}

/** When one query was put in the words of another, by both hashes as reformulations name them. */
export function timesOfPairs(facts: readonly Fact[]): Map<string, number[]> {
  const last = new Map<string, Pick<LastSearch, 'queryId' | 'queryHash' | 'timeMs' | 'clicked'>>()
  const times = new Map<string, number[]>()
  for (const fact of facts) {
    if (fact.kind === 'feedback') {
      const own = last.get(fact.sessionId)
      const list = fact.impression === undefined ? undefined : listOf(fact.impression)
      const isOwn = own !== undefined && own.queryId === list?.queryId
      if (isOwn && hasOpened(fact.entry) && !isOfUnshown(fact)) own.clicked = true
      continue
    }
    const list = firstPage(fact)
    if (list?.sessionId === undefined || list.unit === undefined) continue
    const { queryId, queryHash, timeMs, sessionId } = list
    const now = { queryId, queryHash, timeMs, clicked: false }
    const before = last.get(sessionId)
    if (before !== undefined && timeMs < before.timeMs) continue
    last.set(sessionId, now)
    if (before !== undefined && isReformulated(before, now))
      note(times, `${before.queryHash} ${queryHash}`, timeMs)
  }
  return times
}

function note(times: Map<string, number[]>, name: string, timeMs: number): void {
  const known = times.get(name)
  if (known === undefined) times.set(name, [timeMs])
  else known.push(timeMs)
}

function firstPage(fact: Fact): Impression | undefined {
  return fact.kind === 'search' && isFirstPage(fact.impression) ? fact.impression : undefined
}
