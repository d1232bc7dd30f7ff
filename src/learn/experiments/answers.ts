import type { Monitoring } from '../../schema/experiment.ts'
import { figureOfNone } from '../../schema/experiment-metrics.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import { latencyQuantile } from '../statistics/latency-histogram.ts'
import { isoTime } from '../wire/moment.ts'
import { type Arm, newArm, searchesOf, sumsOf, unitsOf } from './arms.ts'
import { findingsOf } from './comparisons.ts'
import { type Counted, guardrailStates, ratioOf } from './guardrails.ts'
import { METRICS, PERCENTILES } from './metrics.ts'
import { stepEndMs } from './rollout.ts'
import { INTERLEAVED, isFallbackInForce, shareOf } from './running.ts'
import { isDueToStart, waitingText } from './waiting.ts'

/** Time between two looks at what runs. */
const CHECK_MS = 1000

/** A test or experiment with its metrics, as its routes answer. */
export function describeExperiment(
  record: ExperimentRecord,
  counted: Counted,
  nowMs: number,
): object {
  const { id, kind, name, type, status, mode, variants, sent } = record
  const waits = isDueToStart(record, nowMs) ? [`startDate: it ${waitingText(record)}.`] : []
  const warnings = [...record.warnings, ...waits]
  return {
    ...(kind === 'test' ? { testId: id } : { experimentId: id, type }),
    name,
    status,
    mode,
    variants: variants.map(({ tuning: _, sent, ...variant }) => ({ ...variant, ...sent })),
    trafficAllocation: record.allocation,
    created: isoTime(record.createdMs),
    startDate: isoTime(record.startMs),
    endDate: isoTime(record.endMs),
    ...(record.endedMs === undefined ? {} : { ended: isoTime(record.endedMs) }),
    ...(record.reason === undefined ? {} : { reason: record.reason }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...sent,
    ...(record.fallback === undefined ? {} : { fallbackInForce: isFallbackInForce(record, nowMs) }),
    metrics: metricsOf(record, counted),
    ...(kind === 'test' ? {} : { monitoring: monitoringOf(record, counted, nowMs) }),
  }
}

/** A test or experiment as `describeExperiment` gives it, with its monitoring, sample ratio and findings. */
export function reportExperiment(
  record: ExperimentRecord,
  counted: Counted,
  nowMs: number,
): object {
  const sampleRatio = ratioOf(record, counted.arms)
  return {
    ...describeExperiment(record, counted, nowMs),
    monitoring: monitoringOf(record, counted, nowMs),
    sampleRatio,
    ...findingsOf(record, counted, sampleRatio),
  }
}

export function monitoringOf(
  record: ExperimentRecord,
  counted: Counted,
  nowMs: number,
): Monitoring {
  const { status, rollout, step, stepSinceMs } = record
  const growsAtMs = stepEndMs(record) ?? 0
  const watches = status === 'ACTIVE' || status === 'PAUSED'
  return {
    srm: ratioOf(record, counted.arms),
    guardrails: guardrailStates(record, counted),
    step: {
      current: step + 1,
      of: rollout.steps.length,
      percent: Math.round(shareOf(record) * 1e6) / 1e4,
      since: isoTime(stepSinceMs),
    },
    nextCheckAt: watches ? isoTime(Math.max(growsAtMs, nowMs + CHECK_MS)) : null,
    sampleSize: counted.arms.reduce((sum, arm) => sum + unitsOf(arm), 0),
  }
}

/** By variant; an interleaved list belongs to both, and counts once. */
function metricsOf({ mode, variants }: ExperimentRecord, { arms, reported }: Counted): object {
  const ids = mode === 'interleaving' ? [INTERLEAVED] : variants.map(({ id }) => id)
  return Object.fromEntries(
    ids.map((id, at) => {
      const others = [...reported].flatMap(([name, sums]) => {
        const { x = 0, y = 0, units = 0 } = sums[at] ?? {}
        return y === 0 ? [] : [[name, { mean: x / y, values: y, units }]]
      })
      const figures = armFigures(arms[at] ?? newArm())
      return [
        id,
        others.length === 0 ? figures : { ...figures, reported: Object.fromEntries(others) },
      ]
    }),
  )
}

function armFigures(arm: Arm): object {
  const figures: Record<string, number | null> = { units: unitsOf(arm), searches: searchesOf(arm) }
  for (const { name } of METRICS) {
    const { x, y } = sumsOf(arm, name) ?? { x: 0, y: 0 }
    figures[name] = y > 0 ? x / y : figureOfNone(name)
  }
  for (const name of Object.keys(PERCENTILES) as (keyof typeof PERCENTILES)[]) {
    const { histogram, quantile } = PERCENTILES[name]
    figures[name] = latencyQuantile(arm[histogram], quantile) ?? figureOfNone(name)
  }
  if (arm.leftOut > 0) figures.searchesLeftOut = arm.leftOut
  return figures
}
