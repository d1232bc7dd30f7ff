import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, dataOf, openClient } from './client.ts'
import { load } from './load.ts'
import { duration } from './progress.ts'
import { isObject } from './read/record.ts'
import { printHits } from './search.ts'
import { startOwnServer } from './serve.ts'
import { bold, commandError, type Terminal } from './terminal.ts'

const QUERIES = [
  'measure how fast a function runs',
  'stop a worker thread gracefully',
  'write logs without slowing the program down',
]
const MODES = ['text', 'vector', 'hybrid']
const NOT_DOCUMENTATION = /licen[cs]e|changelog|history|security|code_of_conduct/i
const LEARNING_DEADLINE_MS = 60_000

/**
 * Shows the whole service on real text: starts a server on a temporary folder, loads the Markdown
 * files of the installed packages, searches them by text, by meaning and by both, and cleans up.
 */
export async function demo(terminal: Terminal, options: { size: number }): Promise<void> {
  const root = packageRoot()
  const files = await markdownFiles(join(root, 'node_modules'))
  if (files.length === 0)
    throw commandError(
      'The demo reads the documentation of the installed packages: run npm ci first.',
    )
  const folder = await mkdtemp(join(tmpdir(), 'attune-demo-'))
  try {
    terminal.print(`Starting a server on ${folder} …`)
    const server = await startOwnServer(join(folder, 'data'))
    try {
      terminal.print(`It listens on ${server.url}. Loading ${files.length} Markdown files …`)
      await load(terminal, files, {
        url: server.url,
        index: 'demo',
        mapping: { rename: new Map() },
        keepStrings: false,
        batch: 500,
        concurrency: 2,
        resume: false,
        dryRun: false,
        folder: root,
        stateFolder: folder,
      })
      const client = openClient(server.url)
      await learned(terminal, client)
      for (const query of QUERIES)
        for (const mode of MODES) await show(terminal, client, { query, mode, size: options.size })
    } finally {
      await server.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  terminal.print(
    '\nThe demo has cleaned up after itself. Your own documents: attune serve, attune load PATH.',
  )
}

/** Waits until the index has learned its vector space from what was loaded. */
async function learned(terminal: Terminal, client: Client): Promise<void> {
  const started = Date.now()
  while (Date.now() - started < LEARNING_DEADLINE_MS) {
    terminal.signal.throwIfAborted()
    const index = dataOf(await client.get('/cortex/indices/demo'), "The demo's index")
    const space = isObject(index.vectorSpace) ? index.vectorSpace : {}
    if (space.kind !== 'hashed' && space.fitting !== true) {
      const took = duration((Date.now() - started) / 1000)
      terminal.print(
        `A vector space of ${space.dimensions} dimensions was learned from them (${took}).`,
      )
      return
    }
    await pause(100, undefined, { signal: terminal.signal })
  }
  terminal.print('No vector space was learned yet; vectors are hashed words for now.')
}

async function show(
  terminal: Terminal,
  client: Client,
  { query, mode, size }: { query: string; mode: string; size: number },
): Promise<void> {
  terminal.signal.throwIfAborted()
  const started = performance.now()
  const highlight = { pre: '\ue000', post: '\ue001', fragments: 1, fragmentSize: 200 }
  const request = { query, index: 'demo', searchType: mode, size, highlight }
  const reply = await client.post('/cortex/search', request)
  const tookMs = performance.now() - started
  terminal.print(`\n${bold(terminal, `${mode}: ${query}`)}\n`)
  printHits(terminal, dataOf(reply, 'The search failed'), tookMs)
}

async function markdownFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries
    .filter(
      (entry) => entry.isFile() && /\.md$/i.test(entry.name) && !NOT_DOCUMENTATION.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

/** The folder that holds package.json; sources and the compiled tree lie at different depths below it. */
function packageRoot(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
