import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Refusal } from './refusal.ts'

/** What a figure must reach (`atLeast` or `atMost`), and what it aims at. */
export interface Bar {
  figure: string
  atLeast?: number
  atMost?: number
  aim?: number
}

/** One workload file. What a kind doesn't use is left out. */
export interface Workload {
  name: string
  about: string
  kind:
    | 'search'
    | 'bulk'
    | 'writes'
    | 'sessions'
    | 'memory'
    | 'disk'
    | 'mixed'
    | 'feedback'
    | 'analytics'
    | 'learning-lag'
    | 'rerank'
    | 'learning-cost'
  /** A folder below the data folder, in BEIR's form; without it, synthetic documents. */
  collection?: string
  /** Gives each of the collection's documents one of so many tags, in turn. */
  categories?: number
  /** Number and seed of synthetic documents. */
  synthetic?: { documents: number; seed: number }
  /** Modes of search, each measured on its own. */
  searchTypes?: ('text' | 'vector' | 'hybrid')[]
  /** Added to every search request. */
  request?: Record<string, unknown>
  connections: number[]
  warmupMs: number
  measureMs: number
  refresh?: boolean
  writesPerSecond?: number
  /** Feedback entries a second, sent in batches beside what is measured. */
  entriesPerSecond?: number
  /** Settings of the server, by their variables. */
  settings?: Record<string, string>
  bars: Bar[]
}

/** One measured number; `name` is what a bar points at. */
export interface Figure {
  name: string
  value: number
  unit: string
}

/** A figure beside its bar. */
export interface Row extends Figure {
  workload: string
  bar?: string
  aim?: number
  met?: boolean
}

const FOLDER = new URL('./workloads/', import.meta.url)

/** Names of all workloads, in the order of their files. */
export function listWorkloads(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort()
}

/** Reads one workload by name; throws a Refusal that lists the names there are. */
export function readWorkload(name: string): Workload {
  if (!listWorkloads().includes(name))
    throw new Refusal(`There is no workload "${name}". There are: ${listWorkloads().join(', ')}.`)
  return JSON.parse(
    readFileSync(fileURLToPath(new URL(`${name}.json`, FOLDER)), 'utf8'),
  ) as Workload
}

/**
 * Puts each figure beside its bar. A bar whose figure was not measured throws: a bar that is silently
 * not looked at would look like one that was met.
 */
export function judge(workload: Workload, figures: Figure[]): Row[] {
  for (const { figure } of workload.bars)
    if (!figures.some(({ name }) => name === figure))
      throw new Error(`${workload.name} has a bar for "${figure}", which was not measured.`)
  return figures.map((figure) => {
    const bar = workload.bars.find((one) => one.figure === figure.name)
    const row: Row = { workload: workload.name, ...figure }
    if (bar === undefined) return row
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, aim } = bar
    row.met = figure.value >= atLeast && figure.value <= atMost
    row.bar = bar.atLeast === undefined ? `≤ ${bar.atMost}` : `≥ ${bar.atLeast}`
    if (aim !== undefined) row.aim = aim
    return row
  })
}
