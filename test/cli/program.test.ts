import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { readFilterOptions } from '../../src/cli/filters.ts'
import { runCommand } from '../../src/cli/program.ts'
import { serverEnvironment } from '../../src/cli/serve.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openRecorder } from './recorder.ts'

const packageJson = join(import.meta.dirname, '..', '..', 'package.json')
let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

/** A server that answers each path with the given envelope and keeps what was asked. */
async function answering(answers: Record<string, { status?: number; body: unknown }>) {
  const asked: { path: string; body: unknown; key: string | undefined }[] = []
  server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = request.method === 'POST' ? await json(request) : undefined
    asked.push({ path, body, key: request.headers.authorization })
    const answer = answers[path] ?? {
      status: 404,
      body: { success: false, error: 'No such route.' },
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  return { url: `http://127.0.0.1:${await listen(server)}/api`, asked }
}

const found = {
  success: true,
  data: {
    hits: [
      {
        id: 'a',
        index: 'docs',
        score: 0.91234,
        source: {
          title: 'Re\u001b[31mfunds',
          content: 'You get it back.',
          source: 'help/refunds.md',
        },
        highlight: { content: ['&lt;b&gt; \ue000money\ue001 &amp; time'] },
      },
      { id: 'b', index: 'docs', score: 0.5, source: { content: 'long '.repeat(100) } },
    ],
    total: 1234,
    took: 3,
    searchContext: { searchType: 'hybrid', degraded: ['vector'] },
  },
}

describe('attune search', () => {
  test('prints rank, score, title, passage and source, and lets nothing steer the terminal', async () => {
    const { url, asked } = await answering({ '/api/cortex/search': { body: found } })
    const terminal = openRecorder({ ATTUNE_URL: url, ATTUNE_KEY: 'secret' })
    const args = ['search', 'my', 'money', '-m', 'hybrid', '-n', '2', '-f', 'year>=2020']
    expect(await runCommand(terminal, args)).toBe(0)
    expect(asked).toMatchObject([
      {
        body: {
          query: 'my money',
          searchType: 'hybrid',
          size: 2,
          filters: { and: [{ year: { gte: 2020 } }] },
        },
        key: 'Bearer secret',
      },
    ])
    const text = terminal.out.join('\n')
    expect(text).toContain(
      ' 1. Re [31mfunds  0.912\n    <b> money & time\n    help/refunds.md · docs',
    )
    expect(text).toMatch(/ 2\. b {2}0\.500\n {4}long .* …\n/)
    expect(text).toMatch(
      /2 of 1,234 found by hybrid, without vector in [\d.]+ ms, of which the server 3 ms/,
    )
  })

  test('sends name and password of the address, or else the key, in the bytes that a server reads', async () => {
    const { url, asked } = await answering({ '/api/cortex/search': { body: found } })
    const address = url.replace('//', '//ann:p%C3%A9@')
    for (const key of ['', ' ключ\n', 'a\nb']) {
      const terminal = openRecorder({ ATTUNE_URL: address, ATTUNE_KEY: key })
      const code = await runCommand(terminal, ['search', 'money'])
      expect([code, ...terminal.notes]).toEqual(
        key === 'a\nb' ? [1, expect.stringMatching(/^ATTUNE_KEY has a line break/)] : [0],
      )
    }
    const read = asked.map(({ key = '' }) => Buffer.from(key, 'latin1').toString())
    expect(read).toEqual([`Basic ${Buffer.from('ann:pé').toString('base64')}`, 'Bearer ключ'])
    server?.close()
    server?.closeAllConnections()
    const gone = openRecorder({ ATTUNE_URL: address })
    expect(await runCommand(gone, ['search', 'money'])).toBe(1)
    expect(gone.notes.join()).toContain(`answers at ${url} (`)
  })

  test('says that indices are missing', async () => {
    const searchContext = { searchType: 'text', degraded: ['indices'], warnings: ['Some can’t.'] }
    const { url } = await answering({
      '/api/cortex/search': { body: { ...found, data: { ...found.data, searchContext } } },
    })
    const terminal = openRecorder({ ATTUNE_URL: url })
    expect(await runCommand(terminal, ['search', 'money'])).toBe(0)
    expect(terminal.out.join('\n')).toContain('found by text, without some indices in')
    expect(terminal.notes).toEqual(['Some can’t.'])
  })

  test('shows what was found in fields of the index’s own', async () => {
    const on = '\ue000'
    const off = '\ue001'
    const hit = { index: 'logs', score: 1 }
    const hits = [
      {
        ...{ ...hit, id: 'a', source: { level: 'WARN', message: 'disk is full' } },
        highlight: { message: [`${on}disk${off} is full`] },
      },
      { ...hit, id: 'b', source: { level: 'WARN', message: 'no space' } },
      // The last character that is shown would be half of one.
      { ...hit, id: 'c', source: { message: `a${'😀'.repeat(200)}` } },
    ]
    const body = { ...found, data: { ...found.data, hits } }
    const { url } = await answering({ '/api/cortex/search': { body } })
    const terminal = openRecorder()
    await runCommand(terminal, ['search', 'disk', '--url', url])
    const text = terminal.out.join('\n')
    expect(text).toContain(' 1. a  1.000\n    disk is full\n')
    expect(text).toContain(' 2. b  1.000\n    no space\n')
    expect(text).toContain(`    a${'😀'.repeat(119)} …\n`)
  })

  test('makes matches bold on a terminal', async () => {
    const { url } = await answering({ '/api/cortex/search': { body: found } })
    const terminal = { ...openRecorder(), interactive: true }
    await runCommand(terminal, ['search', 'money', '--url', url])
    expect(terminal.out.join('\n')).toContain('\u001b[1mmoney\u001b[22m')
  })

  test('notes what the search said in vain, apart from the hits', async () => {
    const warnings = ['"yaer" of filters: no document of "docs" has\u001b[2J a value in it.']
    const searchContext = { searchType: 'hybrid', warnings }
    const body = { ...found, data: { ...found.data, searchContext } }
    const { url } = await answering({ '/api/cortex/search': { body } })
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['search', '', '-f', 'yaer=1', '--url', url])).toBe(0)
    const notes = ['"yaer" of filters: no document of "docs" has [2J a value in it.']
    expect(terminal.notes).toEqual(notes)
    await runCommand(terminal, ['search', '', '--json', '--url', url])
    expect(terminal.notes).toEqual(notes)
  })

  test('prints the whole answer with --json', async () => {
    const { url } = await answering({ '/api/cortex/search': { body: found } })
    const terminal = openRecorder()
    await runCommand(terminal, ['search', 'money', '--json', '--url', url])
    expect(JSON.parse(terminal.out.join('\n')).total).toBe(1234)
  })

  test("passes the server's own sentence and places on", async () => {
    const body = {
      success: false,
      error: 'The request is not valid.',
      details: [{ path: 'filters.year', message: 'must be a number' }],
    }
    const { url } = await answering({ '/api/cortex/search': { status: 400, body } })
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['search', 'x', '--url', url])).toBe(1)
    expect(terminal.notes).toEqual([
      'The search failed: The request is not valid. (filters.year: must be a number)',
    ])
  })
})

test('filters are read with their types', () => {
  expect(
    readFilterOptions([
      'a=1',
      'a=x',
      'b!=true',
      'c<=2020-01-01',
      'd="7"',
      'e=',
      'f=x=y',
      'g=NaN',
      'h<12.50',
    ]),
  ).toEqual({
    and: [
      { a: [1, 'x'] },
      { d: ['7'] },
      { e: [''] },
      { f: ['x=y'] },
      { g: ['NaN'] },
      { b: { not: true } },
      { c: { lte: '2020-01-01' } },
      { h: { lt: 12.5 } },
    ],
  })
  expect(() => readFilterOptions(['year'])).toThrow('field=value')
})

test.each(['year>>2020', 'year==2024', 'year=>2020', 'year<>2020', 'year!==2020'])(
  'a second sign in %s is not taken for the value, which would find nothing',
  (filter) => {
    expect(() => readFilterOptions([filter])).toThrow(
      /^--filter ".*" has two signs.*field=value, field!=value or field>=value; a value that begins with a sign stands in double quotes\.$/,
    )
    expect(readFilterOptions(['a=">b"', 'c=!d'])).toEqual({ and: [{ a: ['>b'] }, { c: ['!d'] }] })
  },
)

test('attune search --help says how a date is written in a filter', async () => {
  const terminal = openRecorder()
  expect(await runCommand(terminal, ['search', '--help'])).toBe(0)
  expect(terminal.out.join().replace(/\s+/g, ' ')).toContain('a date is 2025-01-31')
})

test('attune serve --help says what each setting takes', async () => {
  const terminal = openRecorder()
  await runCommand(terminal, ['serve', '--help'])
  const help = terminal.out.join('\n').replace(/\s+/g, ' ')
  expect(help).toContain('port to listen on; 0 picks a free one (PORT, 0–65535, default 3000)')
  expect(help).toContain('(LOG_LEVEL, trace · debug · info · warn · error · silent, default info)')
  expect(help).toContain('(LEARNING, true or false, default true)')
  expect(help).toContain('(CORS, default none)')
})

const healthy = {
  '/api/cortex/health': {
    body: {
      success: true,
      data: {
        overall: true,
        services: {
          searchEngine: {
            operational: true,
            latency: 2,
            metrics: { cluster: { status: 'green', nodes: 1 } },
          },
        },
      },
    },
  },
  '/api/nous/health': {
    body: { success: true, data: { overall: true, models: { serving: { operational: true } } } },
  },
  '/api/cortex/indices': {
    body: {
      success: true,
      data: {
        indices: [
          {
            name: 'docs',
            documents: 12345,
            bytes: 5 << 20,
            vectorSpace: { kind: 'learned', dimensions: 256, vectors: 12345, fitting: false },
          },
        ],
      },
    },
  },
}

describe('attune status', () => {
  test('prints both reports and the indices', async () => {
    const { url } = await answering(healthy)
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['status', '--url', url])).toBe(0)
    const text = terminal.out.join('\n')
    expect(text).toContain(`${url}  healthy`)
    expect(text).toContain('search    searchEngine  up    2 ms      status green, nodes 1')
    expect(text).toContain('learning  serving       up')
    expect(text).toMatch(/docs +12,345 +12,345 +5\.0 MiB +learned 256/)
  })

  test('says that a store is full, which is in order for whoever searches', async () => {
    const services = { database: { operational: true, metrics: { writable: false } } }
    const { url } = await answering({
      ...healthy,
      '/api/cortex/health': { body: { success: true, data: { overall: true, services } } },
    })
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['status', '--url', url])).toBe(0)
    expect(terminal.out.join('\n')).toContain('healthy, but FULL: there is no room to write')
  })

  test('fails and says what is down', async () => {
    const services = { database: { operational: false, error: 'disk gone' } }
    const down = { success: false, error: 'Not healthy.', data: { overall: false, services } }
    const { url } = await answering({
      ...healthy,
      '/api/cortex/health': { status: 503, body: down },
      '/api/cortex/indices': {
        body: {
          success: true,
          data: { indices: [{ name: 'docs', error: 'Its files are locked.' }] },
        },
      },
    })
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['status', '--url', url])).toBe(1)
    const text = terminal.out.join('\n')
    expect(text).toMatch(/NOT HEALTHY[\s\S]*database +DOWN +disk gone/)
    expect(text).toMatch(/docs +Its files are locked\./)
  })
})

describe('help and mistakes', () => {
  test.each([[], ['serve'], ['load'], ['search'], ['status'], ['demo']])(
    'attune %s --help shows examples, and defaults in words',
    async (...command) => {
      const terminal = openRecorder()
      const args = [...command.filter((word) => typeof word === 'string'), '--help']
      expect(await runCommand(terminal, args)).toBe(0)
      expect(terminal.out.join('\n')).toMatch(/Examples:\n {2}\$ attune /)
      expect(terminal.out.join('\n')).not.toMatch(/\{\}|\[\]|default: false/)
    },
  )

  test('attune --version says the release', async () => {
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['--version'])).toBe(0)
    expect(terminal.out.join()).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test.each([
    [['serach', 'x'], 'Did you mean search?'],
    [['bulk', 'x.ndjson'], "unknown command 'bulk'\n(Did you mean load?)\n(--help shows"],
    [['bulk', '--help'], 'Did you mean load?'],
    [['help', 'Ingest'], 'Did you mean load?'],
    [['lod', '-h'], 'Did you mean load?'],
    [['constructor'], "unknown command 'constructor'\n(--help shows"],
    [['load'], "missing required argument 'path'"],
    [['load', 'x', '--map', 'body'], 'from=to'],
    [['load', 'x', '--map', 'sku=id,name=title'], 'once for each field'],
    [['load', 'x', '--map', 'a=id', '--map', 'b=_id'], 'the id of "a" and of "b"'],
    [['load', 'x', '--batch', '0'], 'at least 1'],
    [['search'], "missing required argument 'query'\n"],
    [['search', '-i', 'docs', 'x'], "argument 'query'; it stands before --index, as in: attune"],
    [['search', 'x', '--mode', 'fuzzy'], 'text, vector, hybrid'],
    [['demo', '--learning', '--people', '199'], 'at least 200'],
    [['search', 'x', '--url', 'nonsense'], '--url or ATTUNE_URL must be an address'],
  ])('%j ends with status 1 and a way out', async (args, words) => {
    const terminal = openRecorder()
    expect(await runCommand(terminal, args)).toBe(1)
    expect(terminal.notes.join('\n')).toContain(words)
  })

  test('what load is told of fields is heeded, also of several', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'a.ndjson')
    writeFileSync(file, '{"sku":7,"name":"<b>A</b>","body":"<p>K&uuml;hl</p>","raw":"<i>"}\n')
    const fields = ['--id-field', 'sku', '--map', 'sku=sku', '--map', 'name=title']
    const html = ['--html', 'name', '--html', 'body']
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['load', file, ...fields, ...html, '--dry-run'])).toBe(0)
    expect(JSON.parse(terminal.out[0] ?? '')).toEqual({
      id: '7',
      document: { sku: 7, title: 'A', body: 'Kühl', raw: '<i>' },
    })
    expect(terminal.notes.join()).not.toContain('No record has')
    const mistyped = ['--map', 'nmae=title', '--html', 'bdoy']
    expect(await runCommand(terminal, ['load', file, ...mistyped, '--dry-run'])).toBe(0)
    expect(terminal.notes.slice(-2)).toEqual([
      'No record has a field "nmae", which --map names as the files call it.',
      'No record has a field "bdoy", which --html names as the files call it.',
    ])
  })

  test.each([
    [['--prot', '5'], 'Did you mean --port?'],
    [['--supervise', '--port'], "option '--port <value>' argument missing"],
    [['5000'], 'too many arguments'],
  ])(
    'serve %j ends with the status of a bad setting, which no supervisor tries again',
    async (args, words) => {
      const terminal = openRecorder()
      expect(await runCommand(terminal, ['serve', ...args])).toBe(2)
      expect(terminal.notes.join('\n')).toContain(words)
      expect(await runCommand(terminal, ['serve', '--help'])).toBe(0)
    },
  )

  test('a server that is not running is said with how to start one', async () => {
    const { url } = await answering({})
    await new Promise((done) => server?.close(done))
    for (const command of [['search', 'x'], ['status'], ['load', packageJson]]) {
      const terminal = openRecorder({ ATTUNE_URL: url })
      expect(await runCommand(terminal, command)).toBe(1)
      expect(terminal.notes[0]).toContain(`No Attune server answers at ${url} (ECONNREFUSED)`)
      expect(terminal.notes[0]).toContain('attune serve')
    }
  })

  test('an address beside the API is said to be that', async () => {
    const body = { success: false, error: 'There is nothing here.', code: 'ROUTE_NOT_FOUND' }
    const beside = { status: 404, body }
    const paths = ['search', 'health', 'indices', 'documents/bulk'].map(
      (name) => `/ap/cortex/${name}`,
    )
    const { url } = await answering(
      Object.fromEntries(['/ap/livez', '/ap/nous/health', ...paths].map((path) => [path, beside])),
    )
    const wrong = url.replace('/api', '/ap')
    for (const command of [['search', 'x'], ['status'], ['load', packageJson]]) {
      const terminal = openRecorder({ ATTUNE_URL: wrong })
      expect(await runCommand(terminal, command)).toBe(1)
      expect(terminal.notes.at(-1)).toContain(
        `there is no API at ${wrong}: the address of a server ends in /api, as in http://127.0.0.1:3000/api.`,
      )
    }
  })

  test('an address that answers without JSON is no Attune server', async () => {
    const { url } = await answering({ '/api/cortex/search': { body: undefined } })
    const terminal = openRecorder()
    expect(await runCommand(terminal, ['search', 'x', '--url', url])).toBe(1)
    expect(terminal.notes[0]).toContain('is this an Attune server?')
  })
})

test('options of serve become the settings of the environment', () => {
  expect(serverEnvironment({ port: '0', dataDir: '/tmp/x', supervise: true })).toEqual({
    PORT: '0',
    DATA_DIR: '/tmp/x',
  })
})
