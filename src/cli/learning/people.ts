import type { Random } from '../../learn/statistics/random.ts'
import type { FoundHits, RequestSeen, Stage } from './stage.ts'

/** Whoever searches, looks down the list, and clicks. */
export interface Person {
  sessionId: string
}

const LANES = 8

/** A new session, made unseen unless it is shown as curl. */
export async function arrive(stage: Stage, seen: RequestSeen = 'unseen'): Promise<Person> {
  const path = '/cortex/sessions'
  const { sessionId } =
    seen === 'as curl' ? (await stage.show(path, {})).data : await stage.call(path, {})
  return { sessionId: String(sessionId) }
}

/** The request that tells a click on one of the documents found. */
export function clickOn({ sessionId }: Person, found: FoundHits, documentId: string): object {
  const position = found.hits.findIndex(({ id }) => id === documentId) + 1
  const metadata = { userAction: 'click', resultId: documentId, customMetadata: { position } }
  return { sessionId, feedback: [{ queryId: found.queryId, rating: 1, metadata }] }
}

/**
 * So many people, each with a session of their own, search and click the document that `choose` names, if any.
 * Answers how many clicked.
 */
export async function crowd(
  stage: Stage,
  count: number,
  visit: {
    query: (person: number) => string
    choose: (found: FoundHits, person: number) => string | undefined
  },
): Promise<number> {
  let next = 0
  let clicks = 0
  const lane = async () => {
    for (let number = next++; number < count; number = next++) {
      const person = await arrive(stage)
      const found = await stage.search(visit.query(number), person)
      const chosen = visit.choose(found, number)
      if (chosen === undefined) continue
      clicks += 1
      await stage.call('/cortex/feedback', clickOn(person, found, chosen))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return clicks
}

/** Someone who looks at the first `patience` hits and clicks the one they came for, if it is there. */
export function lookingFor(documentId: string, patience: number) {
  return ({ hits }: FoundHits): string | undefined =>
    hits.slice(0, patience).some(({ id }) => id === documentId) ? documentId : undefined
}

/** Someone who looks at position p with probability 1/p and clicks the one they came for, if they see it. */
export function glancingFor(documentId: string, random: Random) {
  return ({ hits }: FoundHits): string | undefined => {
    const place = hits.findIndex(({ id }) => id === documentId)
    return place >= 0 && random() < 1 / (place + 1) ? documentId : undefined
  }
}
