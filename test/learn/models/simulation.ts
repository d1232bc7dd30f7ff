import type { App } from '../../../src/app.ts'
import { newId } from '../../../src/ids.ts'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'
import { native } from '../../../src/native.ts'
import { impressionOf, partsOf, showing } from '../impressions/parts.ts'

export interface SimulatedUser {
  sessionId: string
  unit: string
}

export interface Simulation {
  /** So many users, each with so many searches, ranked by `ranker` or what it says for the user. */
  run: (options: {
    users: SimulatedUser[]
    searches: number
    /** Scores of the hits; the greatest is shown first. */
    ranker: (row: number[]) => number
    model?: (user: SimulatedUser) => { name: string; score: (row: number[]) => number } | undefined
    shadow?: { name: string; score: (row: number[]) => number }
  }) => Promise<void>
  users: (count: number) => Promise<SimulatedUser[]>
}

const HITS = 10
/** Who is held out goes by the name: the same users in each run. */
let named = 0
/** Features by which hits really differ; the others are noise. */
const TEXT = native.featureNames().indexOf('textScore')
const VECTOR = native.featureNames().indexOf('vectorScore')

/** What people want: unknown to whoever ranks. */
export function relevance(row: number[]): number {
  return 0.2 * row[TEXT]! + 0.8 * row[VECTOR]!
}

/** People who search and click by the position-based model: they look at place p with 1/p. */
export function openSimulation(app: App, seed: number): Simulation {
  const random = seeded(seed)
  return {
    users: async (count) => {
      const users: SimulatedUser[] = []
      for (let n = 0; n < count; n++) {
        named += 1
        const { sessionId } = await app.sessions.create({ userId: `user-${named}` })
        users.push({ sessionId, unit: app.sessions.peek(sessionId)!.userId! })
      }
      return users
    },
    run: async ({ users, searches, ranker, model, shadow }) => {
      for (const user of users) {
        const feedback = []
        const applied = model?.(user)
        for (let n = 0; n < searches; n++) {
          const score = applied?.score ?? ranker
          const rows = Array.from({ length: HITS }, () => randomRow(random))
          rows.sort((a, b) => score(b) - score(a))
          const queryId = show(app, user, rows, {
            scores: rows.map(score),
            ...(applied === undefined ? {} : { model: applied.name }),
            ...(shadow === undefined
              ? {}
              : { shadowModel: shadow.name, shadowScores: rows.map(shadow.score) }),
          })
          feedback.push(...clicks(rows, queryId, random))
        }
        if (feedback.length > 0)
          await app.learning.feedback.submit({ sessionId: user.sessionId, feedback })
      }
      await app.learning.caughtUp()
    },
  }
}

function randomRow(random: Random): number[] {
  return native.featureNames().map(() => random())
}

function clicks(rows: number[][], queryId: string, random: Random) {
  return rows.flatMap((row, place) => {
    const wanted = relevance(row) > 0.7 ? 0.9 : 0.03
    if (random() >= wanted / (place + 1)) return []
    return [{ queryId, rating: 1, metadata: { userAction: 'click', resultId: `d${place}` } }]
  })
}

interface Shown {
  scores: number[]
  model?: string
  shadowModel?: string
  shadowScores?: number[]
}

function show(app: App, user: SimulatedUser, rows: number[][], shown: Shown): string {
  const queryId = newId()
  const { scores, ...models } = shown
  const impression = impressionOf({
    ...{ queryId, timeMs: Date.now(), total: rows.length, features: native.featureNames().length },
    ...{ sessionId: user.sessionId, unit: user.unit },
    ...showing(rows.map((_, place) => ({ indexId: 1, id: `d${place}`, score: scores[place]! }))),
    ...models,
  })
  const parts = partsOf(impression, Float32Array.from(rows.flat()))
  app.learning.show(queryId, parts, user.sessionId)
  return queryId
}
