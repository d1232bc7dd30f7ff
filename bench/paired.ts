import type { LoadReport } from './client.ts'
import { percentile } from './measures.ts'

/** Two ways of doing the same, measured in turns: what slows the machine down slows both. */
export interface Paired {
  /** All latencies of each, in milliseconds. */
  first: SliceLatencies
  second: SliceLatencies
}

/** The latencies of all slices together. */
export interface SliceLatencies {
  requests: number
  p50Ms: number
  p99Ms: number
}

/** Runs slices in the order first, second, second, first, … and puts the latencies of each side together. */
export async function runPaired(
  slices: number,
  first: (slice: number) => Promise<LoadReport>,
  second: (slice: number) => Promise<LoadReport>,
): Promise<Paired> {
  const samples: [Float64Array[], Float64Array[]] = [[], []]
  const run = async (side: 0 | 1, slice: number) => {
    const report = await (side === 0 ? first : second)(slice)
    samples[side].push(...report.kinds.map(({ sortedMs }) => sortedMs))
  }
  for (let slice = 0; slice < slices; slice++) {
    const side = slice % 2 === 0 ? 0 : 1
    await run(side, slice)
    await run(side === 0 ? 1 : 0, slice)
  }
  return { first: summarise(samples[0]), second: summarise(samples[1]) }
}

function summarise(slices: Float64Array[]): SliceLatencies {
  const all = Float64Array.from(slices.flatMap((slice) => [...slice])).sort()
  return { requests: all.length, p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99) }
}
