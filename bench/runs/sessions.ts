import { jsonShot } from '../request.ts'
import type { Figure } from '../workload.ts'
import { cycle, loadFigures, measureLoad, type RunContext } from './run.ts'

/** New sessions, each durable and cached when it is answered. */
export async function runSessions(context: RunContext): Promise<Figure[]> {
  const { workload, say } = context
  const shots = Array.from({ length: 1000 }, (_, number) =>
    jsonShot(
      'POST',
      '/api/cortex/sessions',
      {
        clientId: `client-${number % 10}`,
        userId: `user-${number}`,
        metadata: { deviceType: 'desktop', platform: 'web' },
      },
      'session',
    ),
  )
  const figures: Figure[] = []
  for (const connections of workload.connections) {
    const report = await measureLoad(context, {
      connections,
      next: cycle(shots),
      check: (body) => {
        const { cached, data } = body as { cached?: boolean; data?: { sessionId?: string } }
        return cached === true && typeof data?.sessionId === 'string' ? undefined : 'not cached'
      },
    })
    figures.push(...loadFigures(`c${connections}`, report, 'sessions/s'))
    say(`c${connections}: ${Math.round(report.perSecond)} sessions/s`)
  }
  return figures
}
