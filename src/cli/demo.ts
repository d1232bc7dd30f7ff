import { type Client, dataOf } from './client.ts'
import { DEMO_INDEX, withDemoServer } from './demo-server.ts'
import { markedPassage, printHits } from './hits.ts'
import { bold, type Terminal } from './terminal.ts'

const QUERIES = [
  'measure how fast a function runs',
  'stop a worker thread gracefully',
  'write logs without slowing the program down',
]
/** Shorter than those of `attune search`: nine lists are shown. */
const PASSAGE_CHARACTERS = 200
const MODES = ['text', 'vector', 'hybrid']

/**
 * Shows the whole service on real text: starts a server on a temporary folder, loads the Markdown
 * files of the installed packages, searches them by text, by meaning and by both, and cleans up.
 */
export async function demo(terminal: Terminal, options: { size: number }): Promise<void> {
  await withDemoServer(terminal, async (client) => {
    for (const query of QUERIES)
      for (const mode of MODES) await show(terminal, client, { query, mode, size: options.size })
  })
  terminal.print(
    '\nThe demo has cleaned up after itself. Your own documents: npm start, then npm run attune -- load PATH in another ' +
      'terminal; with npm link attune serve, attune load PATH.',
  )
}

async function show(
  terminal: Terminal,
  client: Client,
  { query, mode, size }: { query: string; mode: string; size: number },
): Promise<void> {
  terminal.signal.throwIfAborted()
  const started = performance.now()
  const highlight = markedPassage(PASSAGE_CHARACTERS)
  const request = { query, index: DEMO_INDEX, searchType: mode, size, highlight }
  const reply = await client.post('/cortex/search', request)
  const tookMs = performance.now() - started
  terminal.print(`\n${bold(terminal, `${mode}: ${query}`)}\n`)
  printHits(terminal, dataOf(reply, 'The search failed'), tookMs)
}
