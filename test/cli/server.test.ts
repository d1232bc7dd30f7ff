import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { demo } from '../../src/cli/demo.ts'
import { runCommand } from '../../src/cli/program.ts'
import { type OwnServer, startOwnServer } from '../../src/cli/serve.ts'
import { openStore } from '../../src/store/store.ts'
import { compiled } from '../compiled.ts'
import { connectRaw } from '../http/stub.ts'
import { sharedFolder, temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'
import { openRecorder } from './recorder.ts'

const root = join(import.meta.dirname, '..', '..')
const entry = compiled('src/cli/main.ts')

/** In which a server has started, on a slow machine that others use, too. */
const STARTED_MS = 50_000

/** In which a signal is heard. */
const HELD_MS = 500

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [howItLearns = ''] = /^## How it learns\n[\s\S]*?(?=^## )/m.exec(readme) ?? []
/** By name; their examples go on from those of README. */
const chapters = new Map(
  readdirSync(join(root, 'docs'))
    .sort()
    .map((name) => [name, readFileSync(join(root, 'docs', name), 'utf8')]),
)
/** Whose examples build on each other. */
const learning = `${howItLearns}\n${chapters.get('learning.md') ?? ''}`
chapters.delete('learning.md')

function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => String(block))
}

interface Shown {
  hits: { id: string; score: number }[]
  facets?: object
}

/** The answers of searches that a page prints, with what it leaves out of them under "…". */
function shownIn(markdown: string): Shown[] {
  return [...markdown.matchAll(/```json\n([\s\S]*?)```/g)]
    .filter(([, block]) => block?.includes('"hits"'))
    .map(([, block]) => JSON.parse(String(block)).data)
}

function idsOf({ hits = [] }: Partial<Shown>): string {
  return hits.map(({ id }) => id).join()
}

/** A score to as many digits as another is printed with. */
function rounded(score: number, printed: number): number {
  return Number(score.toFixed(String(printed).split('.')[1]?.length ?? 0))
}

/** What a script prints; it must succeed at every line. */
async function inShell(script: string, url: string): Promise<string> {
  const lines = script.replaceAll('localhost:3000/api', url)
  const child = spawn('bash', ['-euo', 'pipefail', '-c', lines], {
    // A proxy that the machine has set knows no server of this one.
    env: { ...process.env, no_proxy: '*' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  expect(await new Promise((done) => child.on('close', done))).toBe(0)
  return output
}

describe('with a server of its own', () => {
  const folder = sharedFolder()
  let server: OwnServer

  beforeAll(async () => {
    // A drawn order teaches something else, now and then, than what the examples print.
    server = await startOwnServer(join(folder, 'data'), { EXPLORATION_SHARE: '0' })
  })

  afterAll(async () => {
    await server?.close()
  })

  const attune = async (...args: string[]) => {
    const terminal = openRecorder({ ATTUNE_URL: server.url })
    const code = await runCommand(terminal, args)
    return { code, out: terminal.out.join('\n'), notes: terminal.notes.join('\n') }
  }

  test('what was loaded is found by words, by meaning and by both, and status counts it', async () => {
    const docs = join(folder, 'docs')
    mkdirSync(docs)
    writeFileSync(
      join(docs, 'help.md'),
      '# Help\n## Refunds\nWe return your money.\n## Hours\nMondays.',
    )
    writeFileSync(
      join(docs, 'rows.csv'),
      'id,title,year,tags\nr1,Annual report,2020,a;b\nr2,Budget,2021,b\n',
    )
    const loaded = await attune('load', docs, '--index', 'cli')
    expect(loaded).toMatchObject({
      code: 0,
      out: expect.stringContaining('Loaded 4 documents from 2 files'),
    })
    for (const mode of ['text', 'vector', 'hybrid']) {
      const { code, out } = await attune('search', 'refunds money', '--mode', mode, '-i', 'cli')
      expect(code).toBe(0)
      expect(out).toContain('Help › Refunds')
      expect(out).toContain(`found by ${mode}`)
    }
    const filtered = await attune('search', '', '-i', 'cli', '-f', 'year>2020', '-f', 'tags=b')
    expect(filtered.out).toContain('Budget')
    expect(filtered.out).toMatch(/^1 found/m)
    const status = await attune('status')
    expect(status.out).toMatch(/cli +4 +4 /)
    expect(status.code).toBe(0)
  })

  test('loading again replaces', async () => {
    const file = join(folder, 'again.txt')
    for (const words of ['first words', 'second words']) {
      writeFileSync(file, words)
      expect((await attune('load', file, '-i', 'again')).code).toBe(0)
    }
    const { out } = await attune('search', 'words', '-i', 'again', '-m', 'text')
    expect(out).toContain('second words')
    expect(out).toMatch(/^1 found/m)
  })

  test('a refused line is reported with its number while the rest is found', async () => {
    const file = join(folder, 'lines.ndjson')
    const lines = [
      '{"id":"1","title":"good one"}',
      '{"id":"2","title":5}',
      '{"id":"3","title":"good two"}',
    ]
    writeFileSync(file, lines.join('\n'))
    const { code, out, notes } = await attune('load', file, '-i', 'lines')
    expect(code).toBe(1)
    expect(out).toMatch(/Loaded 2 documents from 1 file .*; 1 refused/)
    expect(notes).toMatch(/lines\.ndjson:2: .*title/)
    expect(notes).not.toContain('--map')
    expect((await attune('search', 'good', '-i', 'lines')).out).toMatch(/^2 found/m)
  })

  test('a file whose texts have other names is told how to rename them', async () => {
    const file = join(folder, 'names.csv')
    writeFileSync(file, 'name,price\nhammer,5\nsaw,7\n')
    const { code, notes } = await attune('load', file, '-i', 'names')
    expect(code).toBe(1)
    expect(notes.match(/must have at least one of title/g)).toHaveLength(2)
    expect(notes).toMatch(/\nIf the text is there under other names, .*: --map from=to\.$/)
    expect((await attune('load', file, '-i', 'names', '--map', 'name=title')).code).toBe(0)
  })

  test('an index name that is none is refused in one sentence', async () => {
    const file = join(folder, 'bad-index.txt')
    writeFileSync(file, 'words')
    const other = join(folder, 'bad-index-too.txt')
    writeFileSync(other, 'words')
    const { code, notes } = await attune('load', file, other, '-i', 'Not A Name')
    expect(code).toBe(1)
    expect(notes).toBe('--index must be lower case.')
  })

  test('the examples with curl in README and its chapters work as they stand', async () => {
    const pages = [readme.replace(howItLearns, ''), ...chapters.values()]
    const examples = pages.flatMap(blocksOf).filter((block) => block.includes('curl'))
    expect(examples.length).toBeGreaterThan(7)
    const script = examples.join('\n')
    const calls = script.match(/^(?:curl)/gm)?.length ?? 0
    const answers = (await inShell(script, server.url))
      .split(/(?<=\})(?=\{"success")/)
      .map((answer) => JSON.parse(answer))
    expect(answers).toHaveLength(calls)
    for (const answer of answers) expect(answer).toMatchObject({ success: true })
    expect(answers[1].data.hits[0].id).toBe('refunds')
    expect(answers[2].data.total).toBe(1)
    const shown = shownIn(readme)
    expect(shown).toHaveLength(2)
    for (const { hits, facets } of shown) {
      const given: Shown = answers.find(({ data }) => idsOf(data) === idsOf({ hits }))?.data
      expect(given, idsOf({ hits })).toBeDefined()
      expect(JSON.stringify(given.facets)).toBe(JSON.stringify(facets))
      const scores = given.hits.map(({ id, score }, at) => [id, rounded(score, hits[at]!.score)])
      expect(scores).toEqual(hits.map(({ id, score }) => [id, score]))
    }
  })

  test('so do those about learning, with what they print', async () => {
    const script = blocksOf(learning).join('\n')
    expect(script).toContain('/adapt/apply')
    const printed = [...script.matchAll(/ # ([\w,]+)(?::.*)?$/gm)].map(([, words]) => String(words))
    expect(printed).toContain('returns,tax,policy')
    const output = await inShell(script, server.url)
    expect(output).toMatch(new RegExp(printed.join('[\\s\\S]*')))
    expect(output).toMatch(/value: 1\.62857,\s+gain: 2,\s+examination: 2,\s+rate: 0\.321429,/)
    expect(output).toContain('MODEL_NOT_SERVABLE')
    expect(output).toContain('"rebuilt":true')
  })
})

/** Resolves once a request that changes something is under way. */
async function isBegun(url: string): Promise<void> {
  const isUnderWay = async () => {
    const page = await (await fetch(url.replace(/api$/, 'metrics'))).text()
    return page.includes('svc_api_active_requests{method="POST"} 1')
  }
  await waitUntil(isUnderWay, STARTED_MS)
}

describe('attune serve', { timeout: 120_000 }, () => {
  let folder: string
  const started: number[] = []

  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => {
    for (const pid of started.splice(0)) stop(pid, 'SIGKILL')
  })

  function stop(pid: number, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal)
    } catch {
      // it is gone already
    }
  }

  function serving(...args: string[]) {
    const options = ['--port', '0', '--data-dir', join(folder, 'data'), ...args]
    const child = spawn(process.execPath, [entry, 'serve', ...options], {
      env: { ...process.env, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.push(child.pid ?? 0)
    let said = ''
    const hear = (text: Buffer) => {
      said += text
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const ended = new Promise<number | null>((done) => child.on('close', done))
    const ready = () => [...said.matchAll(/ready on (\S+)/g)].map(([, url]) => String(url))
    return { child, ended, ready, said: () => said }
  }

  test('serves with options over the environment until SIGTERM and ends with 0', async () => {
    const { child, ended, ready } = serving()
    const url = await waitUntil(() => ready()[0], STARTED_MS)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(readdirSync(join(folder, 'data')).length).toBeGreaterThan(0)
  })

  test('a bad setting ends it with a sentence that names it', async () => {
    const { ended, said } = serving('--search-threads', 'many')
    expect(await ended).toBe(2)
    expect(said()).toContain('SEARCH_THREADS must be a whole number')
  })

  test.skipIf(process.platform !== 'linux')(
    'with --supervise a server that was killed is started again, and SIGTERM ends both',
    async () => {
      const { child, ended, ready, said } = serving('--supervise')
      await waitUntil(() => ready()[0], STARTED_MS)
      const server = await waitUntil(() => childOf(child.pid ?? 0), STARTED_MS)
      started.push(server)
      stop(server, 'SIGKILL')
      const again = await waitUntil(() => ready()[1], STARTED_MS)
      expect(said()).toContain('starting it again in 0.5 s')
      expect((await fetch(`${again}/livez`)).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
    },
  )

  test.skipIf(process.platform !== 'linux').each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
    'with --supervise %s, though sent twice and to it alone, ends the server first',
    async (signal) => {
      const { child, ready } = serving('--supervise')
      const url = await waitUntil(() => ready()[0], STARTED_MS)
      const server = await waitUntil(() => childOf(child.pid ?? 0), STARTED_MS)
      started.push(server)
      const held = await connectRaw(Number(new URL(url).port))
      held.socket.write(
        'POST /api/cortex/documents/bulk?index=held HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\ncontent-length: 60\r\n\r\n{"document":{"title":"a"}}\n',
      )
      await isBegun(url)
      const ended = once(child, 'exit')
      child.kill(signal)
      await pause(HELD_MS)
      child.kill(signal)
      await pause(HELD_MS)
      expect(child.exitCode ?? child.signalCode).toBeNull()
      held.socket.write('{"document":{"title":"b"}}'.padEnd(33, ' '))
      expect(await ended).toEqual(signal === 'SIGHUP' ? [null, 'SIGHUP'] : [0, null])
      expect(() => process.kill(server, 0)).toThrow()
    },
  )

  test.skipIf(process.platform !== 'linux').each(['SIGUSR1', 'SIGUSR2'] as const)(
    'with --supervise %s to it alone ends neither of both, nor opens a port for debuggers',
    async (signal) => {
      const { child, ended, ready, said } = serving('--supervise')
      const url = await waitUntil(() => ready()[0], STARTED_MS)
      started.push(await waitUntil(() => childOf(child.pid ?? 0), STARTED_MS))
      child.kill(signal)
      await pause(HELD_MS)
      expect(child.signalCode).toBeNull()
      expect((await fetch(`${url}/livez`)).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(said()).not.toContain('Debugger')
    },
  )

  test('with --supervise a folder of a newer version is not tried again', async () => {
    const newer = openStore({
      dataDir: join(folder, 'data'),
      bytesMax: 2 ** 30,
      log: { warn: () => undefined, error: () => undefined },
    })
    await newer.put('meta', 'format', 99)
    await newer.close()
    const { ended, said } = serving('--supervise')
    await waitUntil(() => /newer version/.test(said()), STARTED_MS)
    expect(await ended).toBe(2)
    expect(said()).not.toContain('again')
  })

  test('with --supervise a bad setting is not tried again', async () => {
    const { ended, said } = serving('--supervise', '--port', '99999')
    expect(await ended).toBe(2)
    expect(said()).not.toContain('again')
  })
})

/** The first child process of a process. */
function childOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? undefined : Number(children.split(' ')[0])
}

test('the demo loads real documentation, searches it in three modes and leaves nothing behind', async () => {
  const terminal = openRecorder()
  // As for a server of the user's own.
  const set = {
    API_KEYS: 'k',
    AUTO_CREATE_INDEX: 'false',
    CONFIG: join(temporaryFolder(), 'none.json'),
  }
  for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  await demo(terminal, { size: 1 })
  const text = terminal.out.join('\n')
  expect(text).toMatch(/Loaded [\d,]{4,} documents from \d{3} files/)
  expect(text).toMatch(/vector space of \d+ dimensions was learned/)
  for (const mode of ['text', 'vector', 'hybrid'])
    expect(text).toMatch(new RegExp(`${mode}: .*\\n\\n 1\\. `))
  // Before `npm link` there is no such command as attune.
  expect(text).toMatch(/npm start, then npm run attune -- load PATH/)
  const [, folder] = /server on (\S*attune-demo-\S+) …/.exec(text) ?? []
  expect(folder).toBeDefined()
  expect(existsSync(String(folder))).toBe(false)
}, 300_000)

test('a demo that is stopped while it loads says so, and nothing of a load to go on with', async () => {
  const terminal = openRecorder()
  const print = (line: string) => {
    terminal.print(line)
    if (line.includes('Loading')) terminal.stop.abort()
  }
  await expect(demo({ ...terminal, print }, { size: 1 })).rejects.toThrow(/^Stopped\.$/)
}, 300_000)
