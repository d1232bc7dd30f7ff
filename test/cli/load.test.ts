import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LoadOptions, load } from '../../src/cli/load.ts'
import { settableClock } from '../system-clock.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'
import { type BulkServer, openBulkServer } from './bulk-server.ts'
import { openRecorder } from './recorder.ts'

let folder: string
let server: BulkServer

beforeEach(async () => {
  folder = temporaryFolder()
  server = await openBulkServer()
})

afterEach(async () => {
  await server.close()
})

function options(more: Partial<LoadOptions> = {}): LoadOptions {
  return {
    url: server.url,
    mapping: { rename: new Map() },
    keepStrings: false,
    batch: 10,
    concurrency: 2,
    resume: false,
    dryRun: false,
    folder,
    stateFolder: folder,
    ...more,
  }
}

function file(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content)
}

function ndjson(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"_id":"d${at}","text":"words ${at}"}\n`).join(
    '',
  )
}

test('a BEIR file maps by itself: _id is the id and text the content', async () => {
  file('corpus.jsonl', '{"_id": "4983", "title": "A", "text": "Alterations", "metadata": {}}\n')
  const report = await load(openRecorder(), ['corpus.jsonl'], options())
  expect(report).toMatchObject({ files: 1, accepted: 1, refused: 0 })
  expect([...server.documents]).toEqual([
    ['4983', { title: 'A', content: 'Alterations', metadata: {} }],
  ])
})

test('a gzipped file loads like the plain one, and the index goes along', async () => {
  file('corpus.ndjson.gz', gzipSync(ndjson(25)))
  await load(openRecorder(), ['corpus.ndjson.gz'], options({ index: 'papers&more' }))
  expect(server.documents.size).toBe(25)
  expect(server.requests.map(({ lines }) => lines)).toEqual([10, 10, 5])
  expect(server.requests[0]?.query).toBe('index=papers%26more')
})

test('a name that no index can have is refused once, before anything is sent', async () => {
  file('corpus.ndjson', ndjson(25))
  const terminal = openRecorder()
  await expect(load(terminal, ['.'], options({ index: 'Bad_Name' }))).rejects.toThrow(
    '--index must be lower case.',
  )
  expect(terminal.notes).toEqual([])
  expect(server.requests).toEqual([])
})

test('a gzipped file that breaks off is reported and the next file is still loaded', async () => {
  file('a.ndjson.gz', gzipSync(ndjson(5000)).subarray(0, 1000))
  file('b.ndjson', '{"id":"last","title":"b"}')
  const terminal = openRecorder()
  const report = await load(terminal, ['.'], options({ batch: 1000 }))
  expect(report.refused).toBe(1)
  expect(terminal.notes.join('\n')).toContain("a.ndjson.gz: can't be read further")
  expect(server.documents.has('last')).toBe(true)
})

test('each bad line is reported with its number and reason while the rest is loaded', async () => {
  file(
    'mixed.ndjson',
    '{"id":"1","title":"a"}\nnot json\n[1]\n\n{"id":"5","title":""}\n{"id":"6","title":"b"}\n{"id":"7","n":{"a":12345678901234567}}',
  )
  server.refuses = ({ id }) =>
    id === '5' ? { status: 400, error: 'The document has no text.' } : undefined
  const terminal = openRecorder()
  const report = await load(terminal, ['mixed.ndjson'], options())
  expect(report).toMatchObject({ accepted: 2, refused: 4 })
  expect(terminal.notes).toEqual([
    'mixed.ndjson:2: is not valid JSON at column 1',
    'mixed.ndjson:3: is not a JSON object',
    expect.stringMatching(/^mixed.ndjson:7: n\.a is a number out of range/),
    'mixed.ndjson:5: The document has no text.',
  ])
})

test('documents of a JSON file are numbered as in their ids: lines would be others', async () => {
  file('list.json', '[\n  {"title": "a"},\n  {"title": ""},\n  7\n]')
  server.refuses = ({ id }) =>
    id === 'list.json#2' ? { status: 400, error: 'The document has no text.' } : undefined
  const terminal = openRecorder()
  await load(terminal, ['list.json'], options())
  expect(terminal.notes).toEqual([
    'list.json#3: is not a JSON object',
    'list.json#2: The document has no text.',
    expect.stringContaining('--id-field'),
  ])
})

test('a file whose documents are in a list of another name is refused with what to do', async () => {
  file('shop.json', '{"products": [{"id": 1, "title": "a"}], "count": 1}')
  file('one.json', '{"id": 2, "title": "", "sizes": [1, 2], "authors": []}')
  server.refuses = () => ({ status: 400, error: 'The document has no text.' })
  const terminal = openRecorder()
  await load(terminal, ['.'], options())
  expect(terminal.notes).toEqual([
    'one.json#1: The document has no text.',
    'shop.json#1: The document has no text. If its documents are the list in "products", save that list as a file of its own.',
  ])
})

test('overload and broken connections are waited out and nothing is lost', async () => {
  file('many.ndjson', ndjson(30))
  server.troubles = [
    { status: 503, headers: { 'retry-after': '0' } },
    'reset',
    { status: 429 },
    'taken, then reset',
  ]
  const report = await load(openRecorder(), ['many.ndjson'], options({ concurrency: 1 }))
  expect(report).toMatchObject({ accepted: 30, refused: 0 })
  expect(server.documents.size).toBe(30)
  expect(server.requests).toHaveLength(7)
})

test('a load that was refused before anything was settled leaves nothing behind', async () => {
  file('one.ndjson', ndjson(1))
  server.troubles = [{ status: 401 }]
  await expect(load(openRecorder(), ['one.ndjson'], options())).rejects.toThrow('refuses')
  expect(readdirSync(folder)).toEqual(['one.ndjson'])
})

test('Retry-After is honoured', async () => {
  file('one.ndjson', ndjson(1))
  server.troubles = [{ status: 503, headers: { 'retry-after': '1' } }]
  const started = performance.now()
  await load(openRecorder(), ['one.ndjson'], options())
  expect(performance.now() - started).toBeGreaterThan(950)
})

test('documents that the server was too busy for are sent again, the others are not', async () => {
  file('some.ndjson', ndjson(4))
  let busy = 2
  server.refuses = ({ id }) =>
    id === 'd2' && busy-- > 0 ? { status: 503, error: 'Too busy.' } : undefined
  const report = await load(openRecorder(), ['some.ndjson'], options())
  expect(report).toMatchObject({ accepted: 4, refused: 0 })
  expect(server.requests.map(({ lines }) => lines)).toEqual([4, 1, 1])
})

test('a batch refused as a whole is halved until the line at fault stands alone', async () => {
  file('big.ndjson', ndjson(8))
  const tooLarge = {
    status: 413,
    body: { success: false, error: 'Too large.', code: 'BODY_TOO_LARGE' },
  }
  server.troubles = [tooLarge, tooLarge, tooLarge, tooLarge]
  const terminal = openRecorder()
  const report = await load(terminal, ['big.ndjson'], options())
  expect(report).toMatchObject({ accepted: 7, refused: 1 })
  expect(terminal.notes).toEqual(['big.ndjson:1: Too large.'])
})

test('a server that refuses the request itself ends the load with its own sentence', async () => {
  file('some.ndjson', ndjson(4))
  const body = { success: false, error: 'There is no index "x".', code: 'INDEX_NOT_FOUND' }
  server.troubles = [{ status: 404, body }]
  await expect(load(openRecorder(), ['some.ndjson'], options())).rejects.toThrow('no index "x"')
})

test('a server that has no room for some ends the load too, so that it goes on with them', async () => {
  file('some.ndjson', ndjson(4))
  const full = { status: 507, code: 'DISK_FULL', error: 'There is no room to write.' }
  server.refuses = ({ id }) => (id === 'd2' ? full : undefined)
  const terminal = openRecorder()
  await expect(load(terminal, ['some.ndjson'], options())).rejects.toThrow('no room to write')
  expect(terminal.notes).toEqual([])
})

test('a load that a full disk ended in its middle is told how it goes on', async () => {
  file('some.ndjson', ndjson(55))
  const full = { status: 507, code: 'DISK_FULL', error: 'There is no room to write.' }
  server.refuses = ({ id }) => (id === 'd40' ? full : undefined)
  const terminal = openRecorder()
  const ended = load(terminal, ['some.ndjson'], options({ concurrency: 1 }))
  await expect(ended).rejects.toThrow('no room to write')
  expect(terminal.notes).toEqual([
    expect.stringMatching(/was loaded\. .* with --resume goes on from/),
  ])
  server.refuses = () => undefined
  const report = await load(openRecorder(), ['some.ndjson'], options({ resume: true }))
  expect(report.skipped).toBeGreaterThan(0)
  expect(report.skipped + report.accepted).toBe(55)
})

test('a server that takes nothing for too long is given up with a way to go on', async () => {
  file('some.ndjson', ndjson(4))
  server.troubles = Array.from({ length: 50 }, () => ({ status: 503 }))
  const given = load(openRecorder(), ['some.ndjson'], options({ giveUpMs: 500 }))
  await expect(given).rejects.toThrow('--resume')
})

test('a clock that is set neither ends a load before its time nor keeps how far it is off the disk', async () => {
  file('some.ndjson', ndjson(40))
  const clock = settableClock()
  server.troubles = [{ status: 503 }]
  const states = new Set<number>()
  server.before = async () => {
    // Ahead while the server takes nothing, and back behind where it was.
    clock.aheadMs = clock.aheadMs === 0 ? 86_400_000 : -86_400_000
    await sleep(500)
    states.add(readdirSync(folder).filter((name) => name.startsWith('.attune-load-')).length)
  }
  const report = await load(openRecorder(), ['some.ndjson'], options({ concurrency: 1 }))
  expect(report.accepted).toBe(40)
  expect([...states]).toEqual([0, 1])
})

test('no more requests are under way than allowed', async () => {
  file('many.ndjson', ndjson(200))
  // Nothing is answered before a second request has come.
  const together = () => waitUntil(() => server.mostUnderWay > 1, 10_000)
  server.before = async () => void (await together().catch(() => undefined))
  await load(openRecorder(), ['many.ndjson'], options({ concurrency: 3 }))
  expect(server.mostUnderWay).toBeGreaterThan(1)
  expect(server.mostUnderWay).toBeLessThanOrEqual(3)
})

test('a stopped load goes on with resume and removes its state at the end', async () => {
  file('a.ndjson', ndjson(55))
  file('b.md', '# One\n\ntext\n\n# Two\n\nmore')
  const first = openRecorder()
  let requests = 0
  server.before = () => {
    requests += 1
    if (requests === 3) first.stop.abort()
  }
  const stopped = load(first, ['.'], options({ concurrency: 1 }))
  await expect(stopped).rejects.toThrow('--resume')
  expect(readdirSync(folder).filter((name) => name.startsWith('.attune-load-'))).toHaveLength(1)
  const before = server.documents.size
  expect(before).toBeLessThan(55)

  const report = await load(openRecorder(), ['.'], options({ resume: true, concurrency: 1 }))
  expect(report.skipped).toBeGreaterThan(0)
  expect(report.skipped + report.accepted).toBe(57)
  expect(server.documents.size).toBe(57)
  expect(readdirSync(folder).toSorted()).toEqual(['a.ndjson', 'b.md'])
})

test('how far a load is stands on the disk while it runs: --resume goes on after a kill, too', async () => {
  file('many.ndjson', ndjson(40))
  const states = new Set<number>()
  server.before = async () => {
    await sleep(500)
    states.add(readdirSync(folder).filter((name) => name.startsWith('.attune-load-')).length)
  }
  await load(openRecorder(), ['many.ndjson'], options({ concurrency: 1 }))
  expect([...states]).toEqual([0, 1])
  expect(readdirSync(folder)).toEqual(['many.ndjson'])
})

test('a load whose state can not be written goes on, and says so once', async () => {
  file('many.ndjson', ndjson(40))
  const unwritable = options({ concurrency: 1, stateFolder: join(folder, 'gone') })
  server.before = () => sleep(500)
  const terminal = openRecorder()
  expect(await load(terminal, ['many.ndjson'], unwritable)).toMatchObject({ accepted: 40 })
  expect(terminal.notes.filter((note) => note.includes('ENOENT'))).toHaveLength(1)

  const stopped = openRecorder()
  server.before = () => stopped.stop.abort()
  await expect(load(stopped, ['many.ndjson'], unwritable)).rejects.toThrow('begins anew')
  server.before = () => undefined
  server.refuses = () => ({ status: 507, code: 'DISK_FULL', error: 'There is no room to write.' })
  const full = load(openRecorder(), ['many.ndjson'], unwritable)
  await expect(full).rejects.toThrow('no room to write')
})

test('what the server warns of is shown once each, of the first document, and not of hundreds', async () => {
  file('some.ndjson', ndjson(40))
  server.warns = ({ id }) => (id === 'd3' || id === 'd5' ? ['Its date is not found.'] : [])
  const terminal = openRecorder()
  const report = await load(terminal, ['some.ndjson'], options({ concurrency: 1 }))
  expect(report).toMatchObject({ accepted: 40, refused: 0 })
  expect(terminal.notes).toEqual([
    'some.ndjson:4: is loaded, with a warning: Its date is not found.',
  ])
  const other = openRecorder()
  server.warns = ({ id }) => [`Of ${id}.`]
  await load(other, ['some.ndjson'], options({ concurrency: 1 }))
  expect(other.notes).toHaveLength(20)
})

test('loading the same files twice replaces their documents', async () => {
  file('a.md', '# One\n\ntext\n\n# Two\n\nmore')
  file('b.txt', 'plain words')
  await load(openRecorder(), ['.'], options())
  const ids = [...server.documents.keys()].toSorted()
  expect(ids).toEqual(['a.md#One', 'a.md#Two', 'b.txt'])
  await load(openRecorder(), ['.'], options())
  expect([...server.documents.keys()].toSorted()).toEqual(ids)
})

test('that ids are places in a file is told once, with what to do', async () => {
  file('a.csv', 'title\na\nb\n')
  file('b.ndjson', '{"title":"c"}\n{"title":"d"}\n{"id":"e","title":"e"}')
  file('c.json', '{"title": "the only one of its file"}')
  for (const dryRun of [false, true]) {
    const terminal = openRecorder()
    await load(terminal, ['.'], options({ dryRun }))
    const told = terminal.notes.filter((note) => note.includes('--id-field NAME'))
    expect(told).toEqual([expect.stringMatching(/^Without an id: 3 documents, /)])
  }
  const named = openRecorder()
  const mapping = { idField: 'title', rename: new Map() }
  await load(named, ['a.csv'], options({ mapping }))
  expect(named.notes).toEqual([])
})

test('documents with the same id are told as the one that is there of them', async () => {
  file('a.csv', 'id,title\na,One\na,Two\nb,Three\n')
  file('b.ndjson', '{"id":"a","title":"Four"}\n{"op":"update","id":"b","document":{"title":"x"}}\n')
  file('c.ndjson', '{"id":"a","index":"other","document":{"title":"a"}}\n')
  server.refuses = ({ document }) =>
    (document as { title: string }).title === 'Two' ? { status: 400, error: 'No.' } : undefined
  const terminal = openRecorder()
  const report = await load(terminal, ['.'], options())
  expect(report).toMatchObject({ accepted: 5, repeated: 1, refused: 1 })
  expect(terminal.out).toEqual([
    expect.stringMatching(
      /^Loaded 4 documents from 3 files in .*; 1 refused, 1 replaced by others of the same id\.$/,
    ),
  ])
  const note = expect.stringMatching(
    /^Of documents with the same id one stays: 1 document .* --id-field NAME/,
  )
  expect(terminal.notes).toEqual(['a.csv:3: No.', note])

  const dry = openRecorder()
  await load(dry, ['a.csv'], options({ dryRun: true }))
  expect(dry.out.at(-1)).toMatch(/^Would load 2 documents from 1 file; /)
  expect(dry.notes).toEqual(['a.csv: 3 documents, 29 B', note])
})

test('deletions count by themselves, and what was not there to delete is no refusal', async () => {
  const line = (id: string) => `{"op":"delete","id":"${id}"}\n`
  file('mixed.ndjson', `{"id":"a","title":"a"}\n${line('a')}${line('never')}${line('elsewhere')}`)
  server.refuses = ({ id }) =>
    id === 'elsewhere'
      ? { status: 404, code: 'INDEX_NOT_FOUND', error: 'There is no such index.' }
      : undefined
  const terminal = openRecorder()
  const report = await load(terminal, ['mixed.ndjson'], options())
  expect(report).toMatchObject({ accepted: 1, deleted: 1, absent: 1, refused: 1 })
  expect(terminal.notes).toEqual(['mixed.ndjson:4: There is no such index.'])
  expect(terminal.out.at(-1)).toMatch(
    /^Loaded 1 document from .*; 1 refused, 1 deleted, 1 to delete not there\.$/,
  )
})

test('a dry run shows documents and sends nothing', async () => {
  file('a.ndjson', ndjson(20))
  const terminal = openRecorder()
  const report = await load(
    terminal,
    ['a.ndjson'],
    options({ dryRun: true, url: 'http://127.0.0.1:1' }),
  )
  expect(report.accepted).toBe(20)
  expect(server.requests).toHaveLength(0)
  expect(terminal.out.at(-1)).toBe(
    "Would load 20 documents from 1 file; 0 places can't be read. Nothing was sent.",
  )
})

test('cells of a table go by the mapping of the index that is named', async () => {
  const csv = 'id,zip,price,open\n1,01067,12.50,t\n2,10115,7,f\n'
  file('shops.csv', csv)
  server.indices.shops = { zip: 'keyword', price: 'double', open: 'boolean' }
  const typed = [
    ['1', { zip: '01067', price: 12.5, open: true }],
    ['2', { zip: '10115', price: 7, open: false }],
  ]
  await load(openRecorder(), ['shops.csv'], options({ index: 'shops' }))
  expect([...server.documents]).toEqual(typed)
  const dry = openRecorder()
  await load(dry, ['shops.csv'], options({ index: 'shops', dryRun: true }))
  expect(dry.out.slice(0, 2).map((line) => JSON.parse(line).document)).toEqual(
    typed.map(([, document]) => document),
  )
  await load(openRecorder(), ['shops.csv'], options({ index: 'unmapped' }))
  expect(server.documents.get('2')).toEqual({ zip: 10115, price: 7, open: 'f' })
})

test('mistakes are named with what to do', async () => {
  file('picture.png', 'x')
  file('a.txt', 'x')
  const one = (path: string, more?: Partial<LoadOptions>) =>
    load(openRecorder(), [path], options(more))
  await expect(one('missing')).rejects.toThrow('missing does not exist')
  await expect(one('picture.png')).rejects.toThrow('these can: .md')
  await expect(one('a.txt', { url: 'http://127.0.0.1:1/api' })).rejects.toThrow('attune serve')
})
