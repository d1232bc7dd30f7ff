import type { Metrics } from '../metrics.ts'
import type { Store } from './store.ts'
import type { Table } from './table.ts'

/** Puts the store's figures on the metrics page; each is read from LMDB when the page is made. */
export function collectStore(metrics: Pick<Metrics, 'collect'>, store: Store): void {
  metrics.collect('svc_store_bytes', 'Bytes of the record store', ['kind'], () => {
    const { fileBytes, liveBytes, mapBytes } = store.figures()
    return [
      { labels: { kind: 'file' }, value: fileBytes },
      { labels: { kind: 'live' }, value: liveBytes },
      { labels: { kind: 'map' }, value: mapBytes },
    ]
  })
  metrics.collect('svc_store_readers', 'Reader slots of the record store', ['state'], () => {
    const { active, idle } = store.figures().connections
    return [
      { labels: { state: 'active' }, value: active },
      { labels: { state: 'idle' }, value: idle },
    ]
  })
  metrics.collect('svc_store_transactions_total', 'Transactions committed', [], () => [
    { value: store.figures().transactions },
  ])
  metrics.collect('svc_store_pending_writes', 'Writes that wait for their commit', [], () => [
    { value: store.figures().pending },
  ])
  metrics.collect('svc_store_operational', '1 while writes are taken', [], () => [
    { value: store.failure() === undefined ? 1 : 0 },
  ])
  metrics.collect('svc_store_rows', 'Rows of each table', ['table'], () =>
    Object.entries(store.tables).map(
      ([table, { count }]: [string, Pick<Table<never, never>, 'count'>]) => ({
        labels: { table },
        value: count(),
      }),
    ),
  )
}
