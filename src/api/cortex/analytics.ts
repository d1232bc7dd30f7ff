import { route } from '../../http/route.ts'
import { AnalyticsEvent, MetricRecord, ReportQuery } from '../../schema/feedback.ts'
import { notYet } from '../not-yet.ts'

export const recordEvent = route({
  ...notYet,
  method: 'POST',
  path: '/cortex/analytics/search',
  aliases: ['/cortex/analytics', '/cortex/analytics/events'],
  summary: 'Record an analytics event',
  body: AnalyticsEvent,
  bodyLimit: 'feedbackBytesMax',
})

export const readReports = route({
  ...notYet,
  method: 'GET',
  path: '/cortex/analytics/reports',
  summary: 'Read the analytics report of a time window',
  query: ReportQuery,
})

export const recordMetric = route({
  ...notYet,
  method: 'POST',
  path: '/cortex/metrics',
  aliases: ['/metrics'],
  summary: 'Record a metric',
  body: MetricRecord,
})
