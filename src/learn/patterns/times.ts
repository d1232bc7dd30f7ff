import type { Fact, Impression } from '../facts.ts'

/** When each query was asked, by its hash. */
export function timesOfQueries(facts: readonly Fact[]): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (const { queryHash, timeMs } of listsOf(facts))
    times.set(queryHash, [...(times.get(queryHash) ?? []), timeMs])
  return times
}

/** When one query may have followed another in a session, by both hashes as reformulations name them. */
export function timesOfPairs(facts: readonly Fact[]): Map<string, number[]> {
  const last = new Map<string, string>()
  const times = new Map<string, number[]>()
  for (const { queryHash, timeMs, sessionId = '' } of listsOf(facts)) {
    const name = `${last.get(sessionId)} ${queryHash}`
    times.set(name, [...(times.get(name) ?? []), timeMs])
    last.set(sessionId, queryHash)
  }
  return times
}

/** First pages: further ones are no searches of their own. */
function listsOf(facts: readonly Fact[]): Impression[] {
  return facts.flatMap((fact) =>
    fact.kind === 'search' && fact.impression.from === 0 ? fact.impression : [],
  )
}
