import { type Static, Type } from 'typebox'
import { AnyCase, MapOf } from './common.ts'

/** What metrics of clients may be, as Prometheus has them. */
const METRIC_TYPES = ['counter', 'gauge', 'histogram', 'summary'] as const
export type MetricType = (typeof METRIC_TYPES)[number]

/** Labels that a client names, beside those that service, environment and instance become. */
const METRIC_LABELS_MAX = 16

/** One value of a metric. */
export const MetricSample = Type.Object({
  name: Type.String({
    pattern: '^[a-zA-Z_:][a-zA-Z0-9_:]*$',
    maxLength: 128,
    examples: ['checkout_seconds'],
  }),
  value: Type.Number(),
  type: Type.Optional(
    AnyCase(METRIC_TYPES, {
      default: 'gauge',
      description: 'counter (adds up), gauge, histogram or summary',
    }),
  ),
  labels: Type.Optional(
    MapOf(Type.String({ maxLength: 256 }), {
      maxProperties: METRIC_LABELS_MAX,
    }),
  ),
  service: Type.Optional(Type.String({ maxLength: 128, description: 'becomes a label' })),
  environment: Type.Optional(Type.String({ maxLength: 128, description: 'becomes a label' })),
  instance: Type.Optional(Type.String({ maxLength: 128, description: 'becomes a label' })),
})
export type MetricSample = Static<typeof MetricSample>

const QUANTILES = 'one of the values (nearest rank) up to 64 of them, beyond within 2.5 %'

/** Answer to a recorded value: the series that it belongs to. */
export const MetricReceipt = Type.Object({
  metricId: Type.String({ description: 'of the series: the same for the same name and labels' }),
  processed: Type.Boolean({ description: 'durably stored' }),
  aggregations: Type.Object({
    count: Type.Integer(),
    sum: Type.Number(),
    min: Type.Number(),
    max: Type.Number(),
    avg: Type.Number(),
    last: Type.Number(),
    p50: Type.Number({ description: `half of the values are at most this; ${QUANTILES}` }),
    p95: Type.Number({ description: `95 % of the values are at most this; ${QUANTILES}` }),
  }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'names that are no field of a value, and were ignored',
    }),
  ),
})
export type MetricReceipt = Static<typeof MetricReceipt>
