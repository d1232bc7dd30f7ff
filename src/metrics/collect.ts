/** One line of a collected family. */
export interface MetricRow {
  labels?: Record<string, string>
  value: number
}

/**
 * Adds a family that is read when the page is made; a name that ends in `_total` is a counter, any other
 * a gauge. A supplier that throws leaves its family empty for that page and is counted.
 */
export type Collect = (
  name: string,
  help: string,
  labelNames: readonly string[],
  rows: () => MetricRow[] | Promise<MetricRow[]>,
) => void
