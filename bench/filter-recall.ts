import { mean, median, overlap } from './measures.ts'
import { startServer } from './server.ts'
import { loadDocuments, must, openService, waitUntilLearned } from './service.ts'
import { type Random, randomOf } from './synthetic.ts'

/** Recall of the ten nearest among the documents that pass a filter. */
export interface FilterRecall {
  /** Documents that pass the filter. */
  passing: number
  recall: number
  /** The fewest hits that any query got; ten or all passing documents must come, whichever is less. */
  leastHits: number
  p50Ms: number
}

const INDEX = 'filtered'
const DIMENSIONS = 256
const CLUSTERS = 200
/** Length of a centre beside noise of length 16: two vectors of one cluster have a cosine of about .4. */
const SPREAD = 13
const QUERIES = 100
const K = 10
const SEED = 11
/** Everything counts as a neighbour: recall is asked of the k nearest, not of those above a cut-off. */
const SIMILARITY_MIN = -1

/**
 * Sends its own vectors (clusters of unit vectors, fixed seed) with a uniformly drawn number each, and compares filtered
 * vector search with a scan in this process over the same vectors: none, 50 %, 5 %, 0.5 % and ten documents passing.
 */
export async function measureFilterRecall(documents: number): Promise<FilterRecall[]> {
  const random = randomOf(SEED)
  const centres = Array.from({ length: CLUSTERS }, () => gaussian(random, () => 0))
  const near = () => {
    const centre = centres[Math.floor(random() * CLUSTERS)]
    return gaussian(random, (at) => SPREAD * (centre?.[at] ?? 0))
  }
  const vectors = Array.from({ length: documents }, near)
  const numbers = Array.from({ length: documents }, random)
  const queries = Array.from({ length: QUERIES }, near)
  const server = await startServer()
  const service = openService(server.url)
  try {
    await must(
      service.call('POST', '/cortex/indices', {
        name: INDEX,
        settings: { embedder: { kind: 'given', dimensions: DIMENSIONS } },
        mappings: { properties: { r: { type: 'double' } } },
      }),
    )
    await loadDocuments(service, INDEX, rows(vectors, numbers), { batch: 1000 })
    await waitUntilLearned(service, INDEX, documents)
    const sorted = [...numbers].sort((a, b) => a - b)
    const report: FilterRecall[] = []
    for (const passing of [documents, documents * 0.5, documents * 0.05, documents * 0.005, 10]) {
      const bound = sorted[Math.round(passing)] ?? 1
      const filters = passing === documents ? {} : { filters: { r: { lt: bound } } }
      const passes = numbers.flatMap((number, at) => (number < bound ? [at] : []))
      const found: { recall: number; hits: number; tookMs: number }[] = []
      for (const query of queries) {
        const from = performance.now()
        const data = await must(
          service.call('POST', '/cortex/search', {
            index: INDEX,
            searchType: 'vector',
            vector: encode(query),
            similarity: SIMILARITY_MIN,
            size: K,
            fields: ['title'],
            ...filters,
          }),
        )
        const tookMs = performance.now() - from
        const ids = (data.hits as { id: string }[]).map(({ id }) => id)
        found.push({
          recall: overlap(ids, nearest(vectors, passes, query)),
          hits: ids.length,
          tookMs,
        })
      }
      report.push({
        passing: passes.length,
        recall: mean(found.map(({ recall }) => recall)),
        leastHits: Math.min(...found.map(({ hits }) => hits)),
        p50Ms: median(found.map(({ tookMs }) => tookMs)),
      })
    }
    return report
  } finally {
    await service.close()
    await server.stop()
  }
}

function* rows(vectors: Float32Array[], numbers: number[]) {
  for (const [at, vector] of vectors.entries())
    yield {
      id: `v${at}`,
      title: `vector ${at}`,
      content: '',
      r: numbers[at],
      vector: encode(vector),
    }
}

function encode(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

/** A unit vector around `centre`. */
function gaussian(random: Random, centre: (at: number) => number): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  for (let at = 0; at < DIMENSIONS; at++) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    vector[at] = radius * Math.cos(2 * Math.PI * random()) + centre(at)
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function nearest(vectors: Float32Array[], passes: number[], query: Float32Array): string[] {
  return passes
    .map((at) => ({ at, cosine: dot(vectors[at], query) }))
    .sort((a, b) => b.cosine - a.cosine || a.at - b.at)
    .slice(0, K)
    .map(({ at }) => `v${at}`)
}

function dot(one: Float32Array | undefined, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < DIMENSIONS; at++) sum += (one?.[at] ?? 0) * (other[at] ?? 0)
  return sum
}
