import { native } from '../../src/native.ts'
import { type LoadReport, runLoad } from '../client.ts'
import { runPaired } from '../paired.ts'
import { startServer } from '../server.ts'
import {
  loadDocuments,
  must,
  openService,
  type Service,
  waitUntilLearned,
  waitUntilSettled,
} from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

const MODEL = 'bench-linear'
const SLICES = 6
/** All features, so that each has to be reckoned for each candidate. */
const FEATURES = native.featureNames()

/**
 * Searches that an active linear model ranks anew, beside the same searches without one: two servers with the
 * same documents, in turns, one connection.
 */
export async function runRerank(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
  const plain = await startServer({ env: workload.settings ?? {} })
  const plainService = openService(plain.url)
  try {
    for (const each of [service, plainService]) await fill(context, each)
    await activate(service)
    say('the model ranks')
    const slice = (port: number, ranked: boolean) => async (): Promise<LoadReport> => {
      const report = await runLoad({
        port,
        host: server.host,
        connections: workload.connections[0] ?? 1,
        next: cycle(searchShots(material.queries, { searchType: 'hybrid' })),
        warmupMs: workload.warmupMs / SLICES,
        measureMs: workload.measureMs / SLICES,
        check: (body) => checkSearch(body) ?? checkModel(body, ranked),
      })
      refuseFailures(report)
      return report
    }
    const ran = await runPaired(SLICES, slice(server.port, true), slice(plain.port, false))
    return [
      { name: 'ranked p50', value: ran.first.p50Ms, unit: 'ms' },
      { name: 'ranked p99', value: ran.first.p99Ms, unit: 'ms' },
      { name: 'plain p50', value: ran.second.p50Ms, unit: 'ms' },
      { name: 'plain p99', value: ran.second.p99Ms, unit: 'ms' },
      { name: 'added p50', value: ran.first.p50Ms - ran.second.p50Ms, unit: 'ms' },
      { name: 'added p99', value: ran.first.p99Ms - ran.second.p99Ms, unit: 'ms' },
    ]
  } finally {
    await plainService.close()
    await plain.stop()
  }
}

async function fill({ material }: RunContext, service: Service): Promise<void> {
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
}

async function activate(service: Service): Promise<void> {
  const state = {
    weights: FEATURES.map((name) => (name === 'fusedScore' ? 1 : 0.01)),
    bias: 0,
    scaler: { mean: FEATURES.map(() => 0), std: FEATURES.map(() => 1) },
    featureNames: FEATURES,
    trainingProgress: 1,
  }
  await must(service.call('POST', '/nous/learn/models/sync', { modelId: MODEL, state }))
  await must(service.call('POST', `/nous/learn/models/${MODEL}/activate`, {}))
}

function checkModel(body: unknown, ranked: boolean): string | undefined {
  const { model } = (body as { data: { searchContext: { model?: string | null } } }).data
    .searchContext
  const isRanked = model?.startsWith(MODEL) === true
  return isRanked === ranked ? undefined : `ranked by ${model ?? 'no model'}`
}
