import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../object.ts'
import { packageRoot } from '../package.ts'
import { duration } from './amounts.ts'
import { type Client, dataOf, openClient } from './client.ts'
import { load } from './load.ts'
import { startOwnServer } from './serve.ts'
import { commandError, type Terminal } from './terminal.ts'

/** The index that a demo's server holds. */
export const DEMO_INDEX = 'demo'

const NOT_DOCUMENTATION = /licen[cs]e|changelog|history|security|code_of_conduct/i
const LEARNING_DEADLINE_MS = 60_000
const POLL_MS = 100

/**
 * Starts a server on a temporary folder, loads the Markdown files of the installed packages into it, waits until the
 * index has come to rest, lets `work` use it, and cleans up.
 */
export async function withDemoServer<Result>(
  terminal: Terminal,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
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
        index: DEMO_INDEX,
        mapping: { rename: new Map() },
        keepStrings: false,
        batch: 500,
        concurrency: 2,
        resume: false,
        dryRun: false,
        folder: root,
        stateFolder: folder,
      }).catch((cause: unknown) => {
        // Nothing is left to go on from, as the load would say.
        throw terminal.signal.aborted ? commandError('Stopped.') : cause
      })
      const client = openClient(server.url)
      await settled(terminal, client)
      return await work(client)
    } finally {
      await server.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Waits until the index has learned its vector space from what was loaded, and changes no more. */
async function settled(terminal: Terminal, client: Client): Promise<void> {
  const started = Date.now()
  terminal.print('Learning from them which words mean alike; that takes some seconds …')
  while (Date.now() - started < LEARNING_DEADLINE_MS) {
    terminal.signal.throwIfAborted()
    const index = dataOf(await client.get(`/cortex/indices/${DEMO_INDEX}`), "The demo's index")
    const space = isObject(index.vectorSpace) ? index.vectorSpace : {}
    if (space.kind !== 'hashed' && index.settled === true) {
      const took = duration((Date.now() - started) / 1000)
      terminal.print(
        `A vector space of ${space.dimensions} dimensions was learned from them (${took}).`,
      )
      return
    }
    await pause(POLL_MS, undefined, { signal: terminal.signal })
  }
  terminal.print('No vector space was learned yet; vectors are hashed words for now.')
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
