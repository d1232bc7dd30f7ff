import { Type } from 'typebox'

export const Liveness = Type.Object({ alive: Type.Boolean() })

export const Readiness = Type.Object({
  ready: Type.Boolean(),
  state: Type.String({ description: 'starting, ready or stopping' }),
})

/** The page of figures is text; its lines follow the Prometheus exposition format 0.0.4. */
export const MetricsPage = Type.String()
