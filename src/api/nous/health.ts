import { reportNousHealth } from '../../health.ts'
import { answer, route } from '../../http/route.ts'
import { NousHealthReport } from '../../schema/health.ts'

export const nousHealth = route({
  method: 'GET',
  path: '/nous/health',
  tag: 'operations',
  summary: 'Health of the learning component',
  reply: NousHealthReport,
  errors: ['UNHEALTHY'],
  handle: async ({ app }) => {
    const report = await reportNousHealth(app)
    if (report.overall) return report
    return answer(report, { status: 503, error: 'A part of the learning component does not work.' })
  },
})
