import type { Doomed, Fact } from '../facts.ts'
import type { Lessons, Teach } from './click-memory-lessons.ts'
import type { QueryChange } from './click-memory-pairs.ts'

interface UnteachParts {
  /** The lessons of all sessions, which know what each of the last day has taught. */
  lessons: Lessons
  /** Lessons that know of nobody yet. */
  again: (teach: Teach) => Lessons
  teach: Teach
}

/**
 * Takes out of the click memory what somebody's sessions taught it. What an older session taught isn't noted any more:
 * it is taught again aside, by what the log still says of it, and the opposite is taught. What one session teaches
 * depends on nobody else. Yields after each step.
 */
export function* unteach({ names, facts, sequence }: Doomed, parts: UnteachParts): Iterable<void> {
  const over = new Set<string>()
  for (const sessionId of new Set([...names, ...facts.flatMap(sessionOf)])) {
    if (!parts.lessons.untaught(sessionId, sequence)) over.add(sessionId)
    yield
  }
  const taught: QueryChange[] = []
  const again = parts.again((change) => taught.push(change))
  for (const fact of facts) {
    if (!sessionOf(fact).some((sessionId) => over.has(sessionId))) continue
    if (fact.kind === 'search') again.seen(fact)
    else if (fact.kind === 'feedback') again.told(fact)
    yield
  }
  for (const { queryHash, documents } of taught) {
    parts.teach({ sequence, queryHash, documents: documents.map(negative) })
    yield
  }
}

function sessionOf(fact: Fact): string[] {
  if (fact.kind === 'feedback') return [fact.sessionId]
  const sessionId = fact.kind === 'search' ? fact.impression.sessionId : undefined
  return sessionId === undefined ? [] : [sessionId]
}

function negative(change: QueryChange['documents'][number]): QueryChange['documents'][number] {
  const { gain, examination, looks, choices } = change
  const taken = { gain: -gain, examination: -examination, looks: -looks, choices: -choices }
  return { ...change, ...taken }
}
