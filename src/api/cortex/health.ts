import { reportCortexHealth } from '../../health.ts'
import { answer, route } from '../../http/route.ts'
import { CortexHealthReport } from '../../schema/health.ts'

export const cortexHealth = route({
  method: 'GET',
  path: '/cortex/health',
  tag: 'operations',
  summary: 'Health of the search component, with real figures of each part',
  reply: CortexHealthReport,
  errors: ['UNHEALTHY'],
  handle: async ({ app }) => {
    const report = await reportCortexHealth(app)
    if (report.overall) return report
    return answer(report, { status: 503, error: 'A part of the search component does not work.' })
  },
})
