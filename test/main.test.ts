import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { packageVersion } from '../src/package.ts'
import type { IndexRecord } from '../src/schema/indices.ts'
import type { SessionRecord } from '../src/schema/session.ts'
import { SETTINGS } from '../src/settings.ts'
import { recordsFile } from '../src/store/records-file.ts'
import { openStore } from '../src/store/store.ts'
import { compiled } from './compiled.ts'
import { freePort } from './free-port.ts'
import { connectRaw } from './http/stub.ts'
import { wipePages } from './store/wipe.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { waitUntil } from './wait-until.ts'

const MAIN = compiled('src/main.ts')
const READY = /^Attune is ready on http:\/\/127\.0\.0\.1:(\d+)\/api$/m
const PATIENCE_MS = 60_000

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

let folder: string
let children: ChildProcess[]

beforeEach(() => {
  folder = temporaryFolder()
  children = []
})
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

interface Process {
  child: ChildProcess
  output: () => string
  ended: Promise<number>
}

function start(
  env: Record<string, string> = {},
  stdio: StdioOptions = 'pipe',
  options: readonly string[] = [],
  wrapped: readonly string[] = [],
): Process {
  const [command = '', ...words] = [...wrapped, process.execPath, MAIN, ...options]
  const child = spawn(command, words, {
    stdio,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: folder,
      SEARCH_THREADS: '1',
      LOG_LEVEL: 'info',
      ...env,
    },
  })
  children.push(child)
  let output = ''
  child.stdout?.on('data', (text) => {
    output += text
  })
  child.stderr?.on('data', (text) => {
    output += text
  })
  const ended = once(child, 'exit').then(([code]) => (code ?? 128) as number)
  return { child, output: () => output, ended }
}

async function ready(process: Process): Promise<number> {
  await waitUntil(() => {
    const { exitCode, signalCode } = process.child
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${signalCode} ${process.output()}`)
    return READY.test(process.output())
  }, PATIENCE_MS)
  return Number(READY.exec(process.output())?.[1])
}

it('a bad setting stops the start with one sentence that names it', async () => {
  const process = start({ REQUEST_TIMEOUT_MS: 'soon' })
  expect(await process.ended).toBe(2)
  expect(process.output().trim()).toBe(
    'REQUEST_TIMEOUT_MS must be a whole number from 100 to 600000, not "soon".',
  )
})

it('gains that are none stop the start with one sentence, as any bad setting does', async () => {
  const process = start({ GAINS: 'click' })
  expect(await process.ended).toBe(2)
  expect(process.output().trim()).toBe(
    'GAINS must be a list like click=0.3,purchase=1 with gains from 0 to 1, not "click".',
  )
})

it('a default index that can not be stops the start with one sentence', async () => {
  const process = start({ DEFAULT_INDEX: 'My Files' })
  expect(await process.ended).toBe(2)
  expect(process.output().trim()).toBe('DEFAULT_INDEX must be lower case.')
})

it.each([
  ['gains that are none', { GAINS: 'click' }],
  ['a default index that can not be', { DEFAULT_INDEX: 'My Files' }],
  ['an address that is none of this machine', { HOST: '192.0.2.1', DRAIN_TIMEOUT_MS: '0' }],
])('a start that %s stops leaves the folder as a stop does', async (_, setting) => {
  expect(await start(setting).ended).toBeGreaterThan(0)
  const next = start()
  await ready(next)
  expect(next.output()).not.toContain('did not stop by itself')
  next.child.kill('SIGTERM')
  expect(await next.ended).toBe(0)
})

it.skipIf(process.platform !== 'linux')(
  'a data folder that can not be made ends the start with one sentence',
  async () => {
    const process = start({ DATA_DIR: '/proc/nowhere/data' })
    expect(await process.ended).toBe(1)
    expect(process.output().trim()).toBe(
      "The data folder /proc/nowhere/data/records can't be made or written to (ENOENT); set DATA_DIR to one that can.",
    )
  },
)

it.each(['', 'indices', 'file'])(
  'a file in the place of the data folder, or of %j in it, ends the start with one sentence, and no new start is worth it',
  async (name) => {
    const isFolder = name === 'indices'
    writeFileSync(join(folder, isFolder ? name : 'file'), '')
    const process = start({ DATA_DIR: isFolder ? folder : join(folder, 'file', name) })
    expect(await process.ended).toBe(2)
    expect(process.output().trim()).toMatch(
      /^The data folder \S+ can't be made or written to \(\w+\); set DATA_DIR to one that can\.$/,
    )
  },
)

/** Later versions of Node open the files of a program one after the other. */
const opensAtOnce = Number.parseInt(process.versions.node, 10) < 22

it.skipIf(process.platform !== 'linux')(
  'where too few files may be open to start, one sentence says what to raise, and no new start is worth it',
  async () => {
    for (const most of [60, 200]) {
      const limited = ['sh', '-c', `ulimit -n ${most} && exec "$0" "$@"`]
      const process = start({}, 'pipe', [], limited)
      if (!opensAtOnce) {
        await ready(process)
        process.child.kill('SIGTERM')
      }
      expect(await process.ended).toBe(opensAtOnce ? 2 : 0)
      if (opensAtOnce)
        expect(process.output()).toMatch(
          /^The system lets this process open too few files[^\n]*\n$/,
        )
    }
  },
)

it.each([
  // Where a store without rows has its tables; the page that is read first of what the start reads.
  [
    'that lists its tables',
    'journal\0',
    /its list of pages has something else in place of page \d+/,
  ],
  [
    'that LMDB meets',
    'wiped',
    /pages of it are wrong \(MDB_CORRUPTED: Located page was wrong type\)/,
  ],
])(
  'a wrong page of the records %s ends the start with one sentence, and no new start is worth it',
  async (_which, text, how) => {
    const log = { warn: () => {}, error: () => {} }
    const store = openStore({ dataDir: folder, bytesMax: 2 ** 24, log })
    await store.write(() => store.tables.indices.put(1, { name: 'wiped' } as IndexRecord))
    await store.close()
    wipePages(folder, text)
    const process = start()
    expect(await process.ended).toBe(2)
    const sentence = `${recordsFile(folder)} is damaged: ${how.source}. Put a whole copy in its place.`
    expect(process.output()).toMatch(new RegExp(sentence))
    expect(process.output()).not.toContain('"level":60')
  },
)

it('a write that meets a wrong page of the records ends the server, and the log names their file', async () => {
  const log = { warn: () => {}, error: () => {} }
  const store = openStore({ dataDir: folder, bytesMax: 2 ** 24, log })
  await store.put('sessions', 'ffffffff-wiped', { userId: 'wiped' } as SessionRecord)
  await store.close()
  wipePages(folder, 'wiped')
  const process = start()
  const port = await ready(process)
  const url = `http://127.0.0.1:${port}/api/cortex/sessions`
  expect((await fetch(url, { method: 'POST' })).status).toBe(503)
  expect(await process.ended).toBe(1)
  expect(process.output()).toContain(`${recordsFile(folder)} is damaged: pages of it are wrong`)
})

it('an empty setting is as one that is not set: nothing listens but the local machine', async () => {
  const process = start({ HOST: '', REQUEST_TIMEOUT_MS: ' ' })
  await ready(process)
  process.child.kill('SIGTERM')
  expect(await process.ended).toBe(0)
})

it('the largest record store that may be set is one that opens: its threads map it, too', async () => {
  const process = start({ STORE_BYTES_MAX: String(SETTINGS.storeBytesMax.max) })
  await ready(process)
  process.child.kill('SIGTERM')
  expect(await process.ended).toBe(0)
})

it.skipIf(!hasIPv6)(
  'the address that is told of an IPv6 host is one that clients take; a mistyped setting is told',
  async () => {
    const process = start({ HOST: '::1', API_KEY: 'hunter2' })
    await waitUntil(() => process.output().includes('ready on'), PATIENCE_MS)
    const address = /ready on (http:\/\/\S+)/.exec(process.output())?.[1]
    expect((await fetch(`${address}/cortex/health`)).status).toBe(200)
    expect(process.output()).toContain('API_KEY is set, but is not a setting; API_KEYS is')
    expect(process.output()).not.toContain('hunter2')
    process.child.kill('SIGTERM')
    expect(await process.ended).toBe(0)
  },
)

it('options that only the command takes are told to have no effect, without what they say', async () => {
  const process = start({}, 'pipe', ['--api-keys', 'hunter2'])
  await ready(process)
  expect(process.output()).toContain('options have no effect here: `attune serve` takes them')
  expect(process.output()).not.toContain('hunter2')
  process.child.kill('SIGTERM')
  expect(await process.ended).toBe(0)
})

it.each([
  ['SIGTERM', 0],
  ['SIGHUP', 'SIGHUP'],
] as const)(
  '%s lets the request under way finish, then ends the process: %s',
  async (signal, end) => {
    const process = start()
    const port = await ready(process)
    const raw = await connectRaw(port)
    raw.socket.write(
      'POST /api/cortex/documents/bulk?index=last HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\ncontent-length: 60\r\n\r\n{"document":{"title":"a"}}\n',
    )
    await waitUntil(async () => {
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return page.includes('svc_api_active_requests{method="POST"} 1')
    }, PATIENCE_MS)
    process.child.kill(signal)
    await waitUntil(() => process.output().includes('"msg":"stopping"'), PATIENCE_MS)
    raw.socket.write('{"document":{"title":"b"}}'.padEnd(33, ' '))
    await waitUntil(() => raw.received().includes('"succeeded":2'), PATIENCE_MS)
    await process.ended
    expect(process.child.signalCode ?? process.child.exitCode).toBe(end)
    expect(process.output()).toContain('"msg":"stopped"')
  },
)

it.skipIf(process.platform === 'win32')(
  'a signal that means nothing here neither ends the process nor opens it to debuggers',
  async () => {
    const process = start()
    const port = await ready(process)
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
      process.child.kill(signal)
      await waitUntil(() => process.output().includes(`"signal":"${signal}"`), PATIENCE_MS)
    }
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
    expect(process.output()).not.toContain('Debugger listening')
    process.child.kill('SIGTERM')
    expect(await process.ended).toBe(0)
  },
)

it('a stop that comes while the parts are opened leaves the folder as any other does', async () => {
  const asking = join(folder, 'asking.mjs')
  const pool = JSON.stringify(import.meta.resolve('piscina'))
  writeFileSync(
    asking,
    `import { Piscina } from ${pool}
    const { on } = Piscina.prototype
    Piscina.prototype.on = function (...heard) {
      process.emit('SIGTERM')
      return on.apply(this, heard)
    }`,
  )
  const stopped = start({ NODE_OPTIONS: `--import=${asking}` })
  expect(await stopped.ended).toBe(0)
  expect(stopped.output()).toContain('stopped before it was ready')
  const next = start()
  await ready(next)
  expect(next.output()).not.toContain('did not stop by itself')
  next.child.kill('SIGTERM')
  expect(await next.ended).toBe(0)
})

it.each([false, true])(
  'a part that never closes holds up the end for a bounded time, and the log says so; asked before it was ready: %s',
  async (isEarly) => {
    const hanging = join(folder, 'hanging.mjs')
    const pool = JSON.stringify(import.meta.resolve('piscina'))
    writeFileSync(
      hanging,
      `import { Piscina } from ${pool}
      Piscina.prototype.destroy = () => new Promise(() => {})
      const { on } = Piscina.prototype
      Piscina.prototype.on = function (...heard) {
        ${isEarly ? "process.emit('SIGTERM')" : ''}
        return on.apply(this, heard)
      }`,
    )
    const process = start({ DRAIN_TIMEOUT_MS: '0', NODE_OPTIONS: `--import=${hanging}` })
    if (!isEarly) {
      await ready(process)
      process.child.kill('SIGTERM')
    }
    expect(await process.ended).toBe(1)
    expect(process.output()).toContain('"limitMs":10000,"msg":"stopping took too long')
  },
)

it.skipIf(!existsSync('/dev/full'))(
  'a log that can not be written, as on a full disk, is no reason to end',
  async () => {
    const port = await freePort()
    const full = openSync('/dev/full', 'w')
    const process = start({ PORT: String(port), LOG_LEVEL: 'trace' }, ['ignore', full, full])
    const health = async () => (await fetch(`http://127.0.0.1:${port}/api/cortex/health`)).status
    await waitUntil(
      () =>
        health().then(
          (status) => status === 200,
          () => false,
        ),
      PATIENCE_MS,
    )
    process.child.kill('SIGTERM')
    expect(await process.ended).toBe(0)
    closeSync(full)
  },
)

it('a second server on the same folder, or on a taken port, says so and ends', async () => {
  const first = start()
  const port = await ready(first)
  const sameFolder = start()
  expect(await sameFolder.ended).toBe(1)
  expect(sameFolder.output().trim()).toBe(
    `The data folder is in use by process ${first.child.pid}; stop it or choose another DATA_DIR.`,
  )
  const other = temporaryFolder()
  const samePort = start({ DATA_DIR: other, PORT: String(port) })
  expect(await samePort.ended).toBe(1)
  expect(samePort.output().trim()).toBe(
    `Port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT to another (0 picks a free one).`,
  )
  // It stopped by itself, and the next start says nothing else.
  const elsewhere = start({ DATA_DIR: other })
  await ready(elsewhere)
  expect(elsewhere.output()).not.toContain('did not stop by itself')
  elsewhere.child.kill('SIGTERM')
  await elsewhere.ended
  expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
})

it('a data folder that is taken away ends the server: it takes no document that would be lost', async () => {
  const process = start()
  const port = await ready(process)
  const store = (index: string) =>
    fetch(`http://127.0.0.1:${port}/api/cortex/documents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"index":"${index}","document":{"title":"a"}}`,
    })
  expect((await store('one')).status).toBe(200)
  rmSync(folder, { recursive: true })
  const refused = await store('one')
  expect(refused.status).toBe(503)
  expect(((await refused.json()) as { code: string }).code).toBe('STORE_UNAVAILABLE')
  expect(await process.ended).toBe(1)
  expect(process.output()).toContain('no longer where it was opened')
})

it('the log tells of a start what it is, and whether the process before stopped by itself', async () => {
  const logged = (process: Process) =>
    process
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: number; msg: string; dataDir?: string })
  const first = start()
  const port = await ready(first)
  const address = `http://127.0.0.1:${port}/api`
  const told = { msg: 'ready', version: packageVersion(), address, dataDir: folder, indices: 0 }
  expect(logged(first)).toEqual([expect.objectContaining(told)])
  first.child.kill('SIGKILL')
  await first.ended
  const second = start()
  await ready(second)
  expect(logged(second)).toMatchObject([
    { level: 40, pid: first.child.pid, msg: expect.stringContaining('did not stop by itself') },
    { level: 30, msg: 'ready' },
  ])
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  const third = start()
  await ready(third)
  expect(logged(third)).toMatchObject([{ level: 30, msg: 'ready' }])
})

it('keys and the contents of requests are not logged', async () => {
  const process = start({ API_KEYS: 'hunter2', LOG_LEVEL: 'trace' })
  const port = await ready(process)
  const send = (key: string) =>
    fetch(`http://127.0.0.1:${port}/api/cortex/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"userId":"private-person"}',
    })
  expect((await send('hunter2')).status).toBe(200)
  expect((await send('hunter3')).status).toBe(401)
  process.child.kill('SIGINT')
  expect(await process.ended).toBe(0)
  expect(process.output()).not.toMatch(/hunter|private-person/)
})

it('starts with as few open files as operations ask for', async () => {
  const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
  const [, least] = /and (\d+) at least, without which it does not start/.exec(page) ?? []
  const limited = ['sh', '-c', `ulimit -n ${least} && exec "$0" "$@"`]
  await ready(start({}, 'pipe', [], limited))
})

it('whatever starts the server gives V8 the same flags', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const flags = scripts.start?.split(' ').filter((word) => word.startsWith('--')) ?? []
  expect(flags).toContain('--no-memory-reducer')
  const plain = flags.join(' ')
  const quoted = (mark: string) => flags.map((flag) => `${mark}${flag}${mark}`).join(', ')
  expect(scripts.attune).toContain(`node ${plain} dist/`)
  expect(read('docs/operations.md')).toContain(`node ${plain} dist/src/main.js`)
  expect(read('Dockerfile')).toContain(`"node", ${quoted('"')}, "dist/src/main.js"`)
  expect(read('src/cli/serve.ts')).toContain(`= [${quoted("'")}]`)
})
