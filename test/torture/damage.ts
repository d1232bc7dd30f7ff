import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startServer } from '../../bench/server.ts'
import { must, openService, type Service, waitUntilLearned } from '../../bench/service.ts'
import { openSynthetic, type Random, randomOf } from '../../bench/synthetic.ts'

/** Which damages to try: each kind on each file, or one kind a file, drawn by the seed. */
export interface DamageOptions {
  seed: number
  everyKind: boolean
  say: (line: string) => void
}

/** What came of it: one line per damage after which the service was not what it was before. */
export interface DamageReport {
  damages: number
  files: string[]
  broken: string[]
}

const INDEX = 'damaged'
const DOCUMENTS_BEFORE = 280
const DOCUMENTS = 420
const QUERIES = 12
/** Everything below it can be made again from the records. */
const DERIVED = 'indices'
const SCORE_DIGITS = 1e4

const KINDS: Record<string, (path: string, files: string[], random: Random) => void> = {
  remove: (path) => rmSync(path),
  empty: (path) => truncateSync(path, 0),
  truncate: (path, _, random) => truncateSync(path, Math.floor(statSync(path).size * random())),
  flip: (path, _, random) => {
    const bytes = readFileSync(path)
    if (bytes.length === 0) return
    const at = Math.floor(random() * bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    writeFileSync(path, bytes)
  },
  grow: (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(64, 7)])),
  swap: (path, files, random) => {
    const other = files[Math.floor(random() * files.length)] ?? path
    const [one, two] = [readFileSync(path), readFileSync(other)]
    writeFileSync(path, two)
    writeFileSync(other, one)
  },
}

/**
 * Loads an index, stops cleanly, then damages one derived file after another, each on a fresh copy of the folder:
 * the service must start by itself and answer every query as before.
 */
export async function runDamage({ seed, everyKind, say }: DamageOptions): Promise<DamageReport> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-damage-'))
  const random = randomOf(seed)
  const intact = join(folder, 'intact')
  const report: DamageReport = { damages: 0, files: [], broken: [] }
  try {
    const before = await withServer(intact, async (service) => {
      await fill(service, seed)
      await waitUntilLearned(service, INDEX, DOCUMENTS)
      return answers(service, seed)
    })
    const files = listFiles(join(intact, DERIVED))
    report.files = files.map((file) => relative(intact, file))
    const attempt = async (name: string, damage: (copy: string) => void) => {
      const copy = join(folder, 'copy')
      rmSync(copy, { recursive: true, force: true })
      cpSync(intact, copy, { recursive: true })
      damage(copy)
      report.damages += 1
      const problem = await withServer(copy, (service) => compare(service, seed, before)).catch(
        (error: Error) => error.message,
      )
      say(`${name}: ${problem ?? 'same results'}`)
      if (problem !== undefined) report.broken.push(`${name}: ${problem}`)
    }
    await attempt('nothing', () => undefined)
    if (!(await bites(join(folder, 'copy'), seed, before)))
      report.broken.push('control: a deleted document was not noticed')
    await attempt('whole folder removed', (copy) =>
      rmSync(join(copy, DERIVED), { recursive: true }),
    )
    const kinds = Object.keys(KINDS)
    const first = Math.floor(random() * kinds.length)
    for (const [at, file] of files.entries())
      for (const kind of everyKind ? kinds : [kinds[(first + at) % kinds.length] ?? 'flip']) {
        const local = relative(intact, file)
        await attempt(`${kind} ${local}`, (copy) => {
          const others = listFiles(join(copy, DERIVED)).filter((one) => one !== join(copy, local))
          KINDS[kind]?.(join(copy, local), others, random)
        })
      }
    return report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The control: after one document is deleted on purpose the comparison must find a difference. */
async function bites(copy: string, seed: number, before: unknown[]): Promise<boolean> {
  return withServer(copy, async (service) => {
    const { hits } = before.at(-1) as { hits: { id: string }[] }
    await must(service.call('DELETE', `/cortex/documents/${hits[0]?.id}?index=${INDEX}`))
    return !isDeepStrictEqual(await answers(service, seed), before)
  })
}

async function withServer<T>(dataDir: string, work: (service: Service) => Promise<T>): Promise<T> {
  const server = await startServer({ dataDir, env: { CHECKPOINT_MS: '200' } })
  const service = openService(server.url)
  try {
    return await work(service)
  } finally {
    await service.close()
    await server.stop()
  }
}

/**
 * Documents that came, changed and went over several checkpoints; the last request carries the index over the size at
 * which it learns its space, so that a rebuilt index learns from the same documents.
 */
async function fill(service: Service, seed: number): Promise<void> {
  const synthetic = openSynthetic(seed)
  const send = async (rows: unknown[]) => {
    const data = await must(
      service.call('POST', '/cortex/documents/bulk', { index: INDEX, documents: rows }),
    )
    if (data.failed > 0) throw new Error(`${data.failed} documents were refused`)
  }
  const row = (number: number, version = 0) => {
    const { id, ...document } = synthetic.document(number + version * 10_000)
    return { id: `d${number}`, document: { ...document, version, original: id } }
  }
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => from + at)
  await send(range(0, DOCUMENTS_BEFORE).map((number) => row(number)))
  await send(range(0, 20).map((number) => row(number, 1)))
  await send(range(20, 40).map((number) => ({ op: 'delete', id: `d${number}` })))
  await send(range(DOCUMENTS_BEFORE, DOCUMENTS + 20).map((number) => row(number)))
}

/** Each query in each mode, with filters and facets: ids, order, scores, totals and counts. */
async function answers(service: Service, seed: number): Promise<unknown[]> {
  const synthetic = openSynthetic(seed)
  const found: unknown[] = []
  for (let number = 0; number < QUERIES; number++)
    for (const searchType of ['text', 'vector', 'hybrid']) {
      const data = await must(
        service.call('POST', '/cortex/search', {
          index: INDEX,
          searchType,
          query: number === 0 ? '' : synthetic.document(number * 30).content.slice(0, 200),
          size: 20,
          facets: ['tags'],
          ...(number % 3 === 0 ? { filters: { r: { gte: 0.5 } } } : {}),
        }),
      )
      const hits = data.hits as { id: string; score: number; source: unknown }[]
      found.push({
        searchType,
        number,
        total: data.total,
        facets: data.facets,
        hits: hits.map(({ id, score, source }) => ({
          id,
          score: Math.round(score * SCORE_DIGITS) / SCORE_DIGITS,
          source,
        })),
      })
    }
  return found
}

async function compare(
  service: Service,
  seed: number,
  before: unknown[],
): Promise<string | undefined> {
  await waitUntilLearned(service, INDEX, DOCUMENTS, 60_000)
  const now = await answers(service, seed)
  const at = now.findIndex((answer, number) => !isDeepStrictEqual(answer, before[number]))
  if (at < 0) return undefined
  return `another answer: ${brief(now[at])} instead of ${brief(before[at])}`
}

function brief(answer: unknown): string {
  const { hits, ...rest } = answer as { hits: { id: string; score: number }[] }
  return JSON.stringify({ ...rest, hits: hits.map(({ id, score }) => `${id} ${score}`) })
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
