import { Type } from 'typebox'
import { route } from '../../http/route.ts'
import {
  AnalyticsBody,
  AnalyticsReceipt,
  AnalyticsReceipts,
  AnalyticsReport,
  ReportQuery,
} from '../../schema/analytics.ts'
import { MetricReceipt, MetricSample } from '../../schema/metric.ts'

export const recordEvent = route({
  method: 'POST',
  path: '/cortex/analytics/search',
  aliases: ['/cortex/analytics', '/cortex/analytics/events'],
  tag: 'search',
  summary: 'Record an analytics event, or a list of them',
  description:
    'An event whose `timestamp` lies more than 5 minutes ahead is refused, and a list that holds one with it. ' +
    'Reports count an event at the time when it was recorded, whatever its `timestamp` says.',
  body: AnalyticsBody,
  bodyLimit: 'feedbackBytesMax',
  example: {
    eventType: 'search',
    query: 'bees',
    results: [{ id: 'b-1', position: 1 }],
    userActions: [{ action: 'scroll', depth: 0.4 }],
    performance: { renderMs: 41 },
  },
  reply: Type.Union([AnalyticsReceipt, AnalyticsReceipts]),
  handle: ({ app, body, noteDone }) => app.learning.analytics.record(body, noteDone),
})

export const readReports = route({
  method: 'GET',
  path: '/cortex/analytics/reports',
  tag: 'search',
  summary: 'Read the analytics report of a time window; its first hour is counted whole',
  query: ReportQuery,
  reply: AnalyticsReport,
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return app.learning.report(query)
  },
})

export const recordMetric = route({
  method: 'POST',
  path: '/cortex/metrics',
  aliases: ['/metrics'],
  tag: 'operations',
  summary: 'Record a value of a metric of your own; the metrics page shows it as svc_custom_<name>',
  body: MetricSample,
  example: {
    name: 'checkout_seconds',
    value: 1.25,
    type: 'histogram',
    labels: { shop: 'north' },
    service: 'checkout',
  },
  reply: MetricReceipt,
  errors: ['NAME_TAKEN', 'TOO_MANY_SERIES'],
  handle: ({ app, body, noteDone }) => app.learning.metricRecords.record(body, noteDone),
})
