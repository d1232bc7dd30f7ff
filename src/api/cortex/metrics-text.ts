import { serviceError } from '../../errors.ts'
import { raw, route } from '../../http/route.ts'
import { MetricsPage } from '../../schema/operations.ts'

export const metricsPage = route({
  method: 'GET',
  path: '/metrics',
  aliases: ['/cortex/metrics'],
  root: true,
  tag: 'operations',
  summary: 'Figures of the service in Prometheus text form',
  reply: MetricsPage,
  produces: 'text/plain',
  errors: ['METRICS_FAILED'],
  handle: async ({ app }) => {
    try {
      return raw(await app.metrics.page(), app.metrics.contentType)
    } catch (cause) {
      throw serviceError('METRICS_FAILED', 'Failed to generate metrics', { cause })
    }
  },
})
