import { runLoad } from '../client.ts'
import { jsonShot } from '../request.ts'
import type { Figure } from '../workload.ts'
import { cycle, type RunContext, refuseFailures } from './run.ts'

/** New sessions, each durable and cached when it is answered. */
export async function runSessions({ workload, server, say }: RunContext): Promise<Figure[]> {
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
    const report = await runLoad({
      port: server.port,
      host: server.host,
      connections,
      next: cycle(shots),
      warmupMs: workload.warmupMs,
      measureMs: workload.measureMs,
      check: (body) => {
        const { cached, data } = body as { cached?: boolean; data?: { sessionId?: string } }
        return cached === true && typeof data?.sessionId === 'string' ? undefined : 'not cached'
      },
    })
    refuseFailures(report)
    const row = report.kinds[0]
    figures.push(
      { name: `c${connections} rate`, value: report.perSecond, unit: 'sessions/s' },
      { name: `c${connections} p50`, value: row?.p50Ms ?? 0, unit: 'ms' },
      { name: `c${connections} p99`, value: row?.p99Ms ?? 0, unit: 'ms' },
    )
    say(`c${connections}: ${Math.round(report.perSecond)} sessions/s`)
  }
  return figures
}
