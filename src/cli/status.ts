import { isObject } from '../object.ts'
import { count, size } from './amounts.ts'
import { type Client, dataOf, openClient } from './client.ts'
import { bold, printable, type Terminal } from './terminal.ts'

const FULL = 'healthy, but FULL: there is no room to write, and only reads and deletes go on'

/** Prints the health of both components and a table of the indices; false when something is down. */
export async function status(
  terminal: Terminal,
  options: { url: string; key?: string; json: boolean },
): Promise<boolean> {
  const client = openClient(options.url, options.key, terminal.signal)
  const [cortex, nous] = [await client.get('/cortex/health'), await client.get('/nous/health')]
  const healthy = cortex.data.overall === true && nous.data.overall === true
  const indices = await readIndices(client)
  if (options.json) {
    const all = { healthy, cortex: cortex.data, nous: nous.data, indices }
    terminal.print(JSON.stringify(all, undefined, 2))
    return healthy
  }
  const state = isFull(cortex.data.services) ? FULL : 'healthy'
  terminal.print(`${bold(terminal, client.url)}  ${healthy ? state : 'NOT HEALTHY'}\n`)
  printParts(terminal, 'search', cortex.data.services, cortex.error)
  printParts(terminal, 'learning', nous.data.models, nous.error)
  terminal.print('')
  printIndices(terminal, indices)
  return healthy
}

/** A full store is in order for whoever searches: reports of health succeed. */
function isFull(services: unknown): boolean {
  const { database } = isObject(services) ? services : {}
  return isObject(database) && isObject(database.metrics) && database.metrics.writable === false
}

async function readIndices(client: Client): Promise<Record<string, unknown>[]> {
  const reply = await client.get('/cortex/indices')
  const { indices } = dataOf(reply, "The indices can't be listed")
  return Array.isArray(indices) ? indices.filter(isObject) : []
}

function printParts(
  terminal: Terminal,
  component: string,
  parts: unknown,
  error: string | undefined,
): void {
  const entries = isObject(parts) ? Object.entries(parts) : []
  if (entries.length === 0) terminal.print(`${component}: no report (${error ?? 'empty'})`)
  for (const [name, part] of entries) {
    if (!isObject(part)) continue
    const state = part.operational === true ? 'up' : 'DOWN'
    const latency = typeof part.latency === 'number' ? `${part.latency} ms` : ''
    const reason = typeof part.error === 'string' ? printable(part.error) : figures(part.metrics)
    terminal.print(
      `${component.padEnd(9)} ${name.padEnd(13)} ${state.padEnd(5)} ${latency.padEnd(9)} ${reason}`.trimEnd(),
    )
  }
}

/** The first figures of a part's metrics, one level deep: "status green, nodes 1". */
function figures(metrics: unknown): string {
  if (!isObject(metrics)) return ''
  return Object.values(metrics)
    .flatMap((group) => (isObject(group) ? Object.entries(group) : []))
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .slice(0, 4)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function printIndices(terminal: Terminal, indices: readonly Record<string, unknown>[]): void {
  if (indices.length === 0) {
    terminal.print('No index yet; `attune load PATH` makes one.')
    return
  }
  const rows = indices.map((index) => {
    if (typeof index.error === 'string')
      return [printable(String(index.name)), '', '', '', printable(index.error)]
    const space = isObject(index.vectorSpace) ? index.vectorSpace : {}
    const fitting = space.fitting === true ? ' (fitting)' : ''
    return [
      printable(String(index.name)),
      count(Number(index.documents)),
      count(Number(space.vectors ?? 0)),
      size(Number(index.bytes)),
      `${space.kind ?? '?'} ${space.dimensions ?? ''}${fitting}`,
    ]
  })
  printTable(terminal, ['index', 'documents', 'vectors', 'size', 'vector space'], rows)
}

/** Prints rows under a header; the first and last columns are words, those between are figures. */
function printTable(
  terminal: Terminal,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const last = header.length - 1
  for (const [position, row] of all.entries()) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 || column === last ? cell.padEnd(width) : cell.padStart(width)
    })
    const line = cells.join('  ').trimEnd()
    terminal.print(position === 0 ? bold(terminal, line) : line)
  }
}
