import type { Metrics } from '../../metrics/metrics.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import { unitsOf } from './arms.ts'
import type { Ledger } from './ledger.ts'
import type { Register } from './register.ts'
import { hasEnded } from './transitions.ts'

/** Tests and experiments as numbers. */
export interface ExperimentFigures {
  /** How many there are, by kind and status. */
  figures: () => (ByStatus & { count: number })[]
  /** Units that took part in those not ended; reads what each has counted. */
  units: () => (ByStatus & { units: number })[]
}

interface ByStatus {
  kind: ExperimentKind
  status: string
}

/** Puts them on the metrics page, too. */
export function openExperimentFigures(
  register: Register,
  ledger: Ledger,
  metrics: Pick<Metrics, 'collect'>,
): ExperimentFigures {
  const figures: ExperimentFigures = {
    figures: () =>
      sumsByStatus(register, () => 1).map(({ sum: count, ...by }) => ({ ...by, count })),
    units: () =>
      sumsByStatus(register, (record) => unitsIn(record, ledger)).map(({ sum: units, ...by }) => ({
        ...by,
        units,
      })),
  }
  collect(metrics, figures)
  return figures
}

function collect(metrics: Pick<Metrics, 'collect'>, { figures, units }: ExperimentFigures): void {
  const labels = ['kind', 'status']
  metrics.collect('svc_experiments', 'Tests and experiments', labels, () =>
    figures().map(({ count: value, ...own }) => ({ labels: own, value })),
  )
  const help = 'Units in tests and experiments not ended'
  metrics.collect('svc_experiment_units', help, labels, () =>
    units().map(({ units: value, ...own }) => ({ labels: own, value })),
  )
}

function sumsByStatus(
  register: Register,
  of: (record: ExperimentRecord) => number,
): (ByStatus & { sum: number })[] {
  const rows = new Map<string, ByStatus & { sum: number }>()
  for (const record of register.all()) {
    const { kind, status } = record
    const row = rows.get(`${kind} ${status}`) ?? { kind, status, sum: 0 }
    rows.set(`${kind} ${status}`, row)
    row.sum += of(record)
  }
  return [...rows.values()]
}

/** Nobody takes part in a draft, of which there may be thousands. */
function unitsIn(record: ExperimentRecord, ledger: Ledger): number {
  if (hasEnded(record) || record.status === 'DRAFT') return 0
  return ledger.arms(record).reduce((sum, arm) => sum + unitsOf(arm), 0)
}
