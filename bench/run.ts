import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machineLine, readMachine } from './machine.ts'
import { readMaterial } from './material.ts'
import { Refusal, tellPlainly } from './refusal.ts'
import { runAnalytics } from './runs/analytics.ts'
import { runBulk } from './runs/bulk.ts'
import { runDisk } from './runs/disk.ts'
import { runFeedback } from './runs/feedback.ts'
import { runLearningCost } from './runs/learning-cost.ts'
import { runLearningLag } from './runs/learning-lag.ts'
import { runMemory } from './runs/memory.ts'
import { runMixed } from './runs/mixed.ts'
import { runRerank } from './runs/rerank.ts'
import type { RunContext } from './runs/run.ts'
import { runSearch } from './runs/search.ts'
import { runSessions } from './runs/sessions.ts'
import { runWrites } from './runs/writes.ts'
import { startServer } from './server.ts'
import { openService } from './service.ts'
import { formatTable, round } from './table.ts'
import {
  type Figure,
  judge,
  listWorkloads,
  type Row,
  readWorkload,
  type Workload,
} from './workload.ts'

const RUNS: Record<Workload['kind'], (context: RunContext) => Promise<Figure[]>> = {
  search: runSearch,
  bulk: runBulk,
  writes: runWrites,
  sessions: runSessions,
  memory: runMemory,
  disk: runDisk,
  mixed: runMixed,
  feedback: runFeedback,
  analytics: runAnalytics,
  'learning-lag': runLearningLag,
  rerank: runRerank,
  'learning-cost': runLearningCost,
}

const LINE_MAX = 1000
const USAGE = `npm run bench -- WORKLOAD… [--data FOLDER] [--measure SECONDS]

Replays workloads against the built server, one after another, each on a fresh server and folder.
  WORKLOAD   ${listWorkloads().join(', ')}, or all
  --data     folder that holds the collections in BEIR's form, such as scifact/ (default ../shared/data)
  --measure  seconds measured at each setting, instead of the workload's own`

tellPlainly()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: '../shared/data' },
    measure: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help || positionals.length === 0) console.log(USAGE)
else if (values.measure !== undefined && !(Number(values.measure) > 0))
  throw new Refusal('--measure must be a number of seconds above 0.')
else process.exitCode = await runAll(positionals.includes('all') ? listWorkloads() : positionals)

/** Runs each workload; 0 when every bar was met, 1 when one was missed, 2 when one could not be measured. */
async function runAll(names: string[]): Promise<number> {
  const workloads = names.map(readWorkload)
  const machine = readMachine()
  console.log(machineLine(machine))
  const rows: Row[] = []
  let broken = false
  for (const workload of workloads) {
    console.log(`\n${workload.name}: ${workload.about}`)
    try {
      rows.push(...judge(workload, await runOne(workload)))
    } catch (error) {
      broken = true
      console.error(`  could not be measured: ${(error as Error).message}`)
    }
  }
  print(rows)
  const folder = fileURLToPath(new URL('./results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const name = `${machine.when.replaceAll(/[:.]/g, '-')}-${names.length === 1 ? names[0] : 'several'}`
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify({ machine, rows }, undefined, 1)}\n`)
  if (broken) return 2
  return rows.some(({ met }) => met === false) ? 1 : 0
}

async function runOne(workload: Workload): Promise<Figure[]> {
  const material = await readMaterial(workload, resolve(values.data))
  const measureMs =
    values.measure === undefined ? workload.measureMs : Number(values.measure) * 1000
  const server = await startServer({ env: workload.settings ?? {} })
  const service = openService(server.url)
  try {
    return await RUNS[workload.kind]({
      workload: { ...workload, measureMs },
      material,
      server,
      service,
      say: (line) => console.log(`  ${line}`),
    })
  } catch (error) {
    const lines = server.lastLines().map((line) => `    ${line.slice(0, LINE_MAX)}`)
    console.error(`  the server's last lines:\n${lines.join('\n')}`)
    throw error
  } finally {
    await service.close()
    await server.stop()
  }
}

function print(rows: Row[]): void {
  const verdict = ({ met }: Row) => (met === undefined ? '' : met ? 'met' : 'MISSED')
  console.log(
    `\n${formatTable([
      ['workload', 'figure', 'value', 'unit', 'bar', 'aim', ''],
      ...rows.map((row) => [
        row.workload,
        row.name,
        round(row.value),
        row.unit,
        row.bar ?? '',
        row.aim ?? '',
        verdict(row),
      ]),
    ])}`,
  )
}
