import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { discounted, mean } from './measures.ts'
import { Refusal } from './refusal.ts'

/** Judged lists in the form that the core learns from: the rows of one query after those of another. */
export interface JudgedLists {
  /** Numbers in a row. */
  width: number
  features: Float32Array
  /** One label a row, 0 and up. */
  labels: Float32Array
  /** Rows of each query. */
  groups: Uint32Array
}

/**
 * Reads `NAME.gz` (lines of `label index:value …`; what a line does not name is 0) and `NAME.query`
 * (rows of each query). Rows are as wide as the greatest index asks for, or `width`. Throws a Refusal when a file is
 * missing or they don't agree.
 */
export function readJudgedLists(folder: string, name: string, width = 0): JudgedLists {
  for (const file of [`${name}.gz`, `${name}.query`])
    if (!existsSync(join(folder, file)))
      throw new Refusal(
        `${join(folder, file)} is missing: name a folder with rank.train.gz, rank.train.query, rank.test.gz and rank.test.query, such as LightGBM's examples/lambdarank with rank.train and rank.test packed by gzip.`,
      )
  const lines = linesOf(gunzipSync(readFileSync(join(folder, `${name}.gz`))).toString())
  const groups = Uint32Array.from(
    linesOf(readFileSync(join(folder, `${name}.query`), 'utf8')),
    Number,
  )
  const rows = lines.map(readRow)
  const widest = rows.reduce((most, { values }) => Math.max(most, 1 + (values.at(-1)?.[0] ?? 0)), 0)
  const columns = Math.max(width, widest)
  const features = new Float32Array(rows.length * columns)
  rows.forEach(({ values }, row) => {
    for (const [index, value] of values) features[row * columns + index] = value
  })
  const judged = groups.reduce((sum, count) => sum + count, 0)
  if (judged !== rows.length)
    throw new Refusal(`${name}.query counts ${judged} rows, ${name}.gz has ${rows.length}.`)
  return { width: columns, features, labels: Float32Array.from(rows, ({ label }) => label), groups }
}

/** The lists of some queries, by their numbers. */
export function selectQueries(lists: JudgedLists, queries: number[]): JudgedLists {
  const { width, features, labels, groups } = lists
  const starts = startsOf(groups)
  const rows = queries.flatMap((query) =>
    Array.from({ length: groups[query] ?? 0 }, (_, row) => (starts[query] ?? 0) + row),
  )
  const chosen = new Float32Array(rows.length * width)
  rows.forEach((row, at) => {
    chosen.set(features.subarray(row * width, (row + 1) * width), at * width)
  })
  return {
    width,
    features: chosen,
    labels: Float32Array.from(rows, (row) => labels[row] ?? 0),
    groups: Uint32Array.from(queries, (query) => groups[query] ?? 0),
  }
}

/**
 * Mean NDCG at `depth` over all queries: gain 2^label − 1, discount log2(rank + 1), equal scores in the order of
 * rows. A query without a relevant document counts 1, as LightGBM counts it.
 */
export function gradedNdcg(lists: JudgedLists, scores: ArrayLike<number>, depth: number): number {
  const starts = startsOf(lists.groups)
  return mean(
    Array.from(lists.groups, (count, query) => {
      const rows = Array.from({ length: count }, (_, row) => (starts[query] ?? 0) + row)
      const gain = (row: number) => 2 ** (lists.labels[row] ?? 0) - 1
      const ranked = rows.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).map(gain)
      const best = discounted(ranked.toSorted((a, b) => b - a).slice(0, depth))
      return best === 0 ? 1 : discounted(ranked.slice(0, depth)) / best
    }),
  )
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function readRow(line: string): { label: number; values: [number, number][] } {
  const [label, ...pairs] = line.trim().split(/\s+/)
  const values = pairs.map((pair): [number, number] => {
    const [index, value] = pair.split(':')
    return [Number(index), Number(value)]
  })
  return { label: Number(label), values }
}

/** The first row of each query. */
function startsOf(groups: Uint32Array): number[] {
  let next = 0
  return Array.from(groups, (count) => {
    const start = next
    next += count
    return start
  })
}
