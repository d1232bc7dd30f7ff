import { Type } from 'typebox'
import { DateTime, FreeForm } from './common.ts'

const Part = Type.Object({
  operational: Type.Boolean(),
  latency: Type.Number({ description: 'ms that the check took' }),
  metrics: FreeForm,
  error: Type.Optional(Type.String()),
})

/** Health of the search component. */
export const CortexHealthReport = Type.Object({
  timestamp: DateTime,
  services: Type.Object({ searchEngine: Part, database: Part, cache: Part }),
  overall: Type.Boolean({ description: 'true only when every service is operational' }),
})

const Score = Type.Object({
  score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
  status: Type.String(),
})

/** Health of the learning component. */
export const NousHealthReport = Type.Object({
  timestamp: DateTime,
  models: Type.Object({ serving: Part, training: Part, adaptation: Part }),
  learning: Type.Object({ effectiveness: Score, convergence: Score, stability: Score }),
  overall: Type.Boolean({ description: 'true when every models entry is operational' }),
})
