import { Type } from 'typebox'
import { OneOf } from './common.ts'

export const Liveness = Type.Object({ alive: Type.Boolean() })

export const Readiness = Type.Object({
  ready: Type.Boolean(),
  state: OneOf(['starting', 'ready', 'stopping']),
})

/** The page of figures is text; its lines follow the Prometheus exposition format 0.0.4. */
export const MetricsPage = Type.String()
