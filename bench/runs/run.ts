import { type LoadPlan, type LoadReport, runLoad, type Shot } from '../client.ts'
import type { Material } from '../material.ts'
import { jsonShot } from '../request.ts'
import type { BenchServer } from '../server.ts'
import type { Service } from '../service.ts'
import type { Figure, Workload } from '../workload.ts'

/** What every run is given: a fresh server, its workload and material, and a place for words on the way. */
export interface RunContext {
  workload: Workload
  material: Material
  server: BenchServer
  service: Service
  say: (line: string) => void
}

/** The index that runs write to. */
export const INDEX = 'bench'

/** One serialised search per query, with the request's other fields the same in each. */
export function searchShots(queries: string[], request: Record<string, unknown>): Shot[] {
  return queries.map((query) =>
    jsonShot('POST', '/api/cortex/search', { index: INDEX, size: 10, ...request, query }, 'search'),
  )
}

/** Gives the shots in turn for ever. */
export function cycle(shots: Shot[]): () => Shot | undefined {
  let number = 0
  return () => shots[number++ % shots.length]
}

type Load = Pick<LoadPlan, 'connections' | 'next' | 'checkEvery' | 'check'>

/** Puts a load on the run's server for as long as its workload says. Throws when a request failed. */
export async function measureLoad(
  { workload, server }: RunContext,
  load: Load,
): Promise<LoadReport> {
  const { port, host } = server
  const { warmupMs, measureMs } = workload
  const report = await runLoad({ port, host, warmupMs, measureMs, ...load })
  refuseFailures(report)
  return report
}

/** Rate and latencies of a load of one kind of request, each of which counts as so many of the unit. */
export function loadFigures(at: string, report: LoadReport, unit: string, each = 1): Figure[] {
  const [row] = report.kinds
  return [
    { name: `${at} rate`, value: report.perSecond * each, unit },
    { name: `${at} p50`, value: row?.p50Ms ?? 0, unit: 'ms' },
    { name: `${at} p99`, value: row?.p99Ms ?? 0, unit: 'ms' },
  ]
}

interface SearchBody {
  data?: { hits?: { id?: string; source?: { title?: string } }[]; total?: number }
}

/** Says what is wrong with an answer to a search that must have found something. */
export function checkSearch(body: unknown): string | undefined {
  const { hits, total } = (body as SearchBody).data ?? {}
  if (hits === undefined || total === undefined) return 'the answer has no hits or no total'
  if (hits.length === 0) return 'nothing was found'
  if (hits.length > total) return 'more hits than the total'
  if (new Set(hits.map(({ id }) => id)).size !== hits.length) return 'a hit came twice'
  if (hits.some(({ source }) => source?.title === undefined)) return 'a hit without its source'
  return undefined
}

/** A run with a failed request measured something else than it says, so it has no figures. */
export function refuseFailures(report: LoadReport): void {
  const kinds = Object.entries(report.failures).map(([what, count]) => `${count} × ${what}`)
  if (kinds.length > 0) throw new Error(`Requests failed: ${kinds.join('; ')}`)
  if (report.checked === 0) throw new Error('No answer was checked: the run was too short.')
}
