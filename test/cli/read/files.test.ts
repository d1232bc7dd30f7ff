import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { findFiles, readDocuments } from '../../../src/cli/read/files.ts'
import {
  type FoundDocument,
  type Mapping,
  mappingOf,
  type Unreadable,
} from '../../../src/cli/read/record.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

function file(name: string, content: string | Buffer): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

async function read(
  name: string,
  content: string | Buffer,
  mapping: Mapping = { rename: new Map() },
  keepStrings = false,
): Promise<(FoundDocument | Unreadable)[]> {
  file(name, content)
  const [source] = await findFiles([name], folder)
  const found: (FoundDocument | Unreadable)[] = []
  let bytes = 0
  const onBytes = (count: number) => {
    bytes += count
  }
  for await (const one of readDocuments(source!, { mapping, keepStrings, onBytes })) found.push(one)
  expect(bytes).toBe(source!.bytes)
  return found
}

const documents = (found: (FoundDocument | Unreadable)[]) =>
  found.map((one) => ('document' in one ? one.document : one))

describe('finding files', () => {
  test('folders are searched in a stable order; what is hidden and node_modules are passed over', async () => {
    for (const name of [
      'b.txt',
      'a/x.md',
      'a/y.png',
      '.git/z.txt',
      '.h.txt',
      'node_modules/p/r.md',
    ])
      file(name, 'x')
    const names = async (path: string) =>
      (await findFiles([path], folder)).map((found) => found.name)
    expect(await names('.')).toEqual(['a/x.md', 'b.txt'])
    expect(await names('node_modules')).toEqual(['node_modules/p/r.md'])
  })

  test('standard input is not read, and what to do instead is said', async () => {
    await expect(findFiles(['-'], folder)).rejects.toThrow(
      'Standard input is not read: save it to a file first, named .ndjson, .csv or the like.',
    )
  })

  test('a file named twice is loaded once', async () => {
    file('a/x.md', 'x')
    expect(await findFiles(['a', 'a/x.md'], folder)).toHaveLength(1)
  })
})

describe('reading JSON', () => {
  const two = [{ id: 1, title: 'a' }, { title: 'b' }]
  const expected = [
    { file: 'f.json', line: 1, id: '1', document: { title: 'a' } },
    { file: 'f.json', line: 2, id: 'f.json#2', isPlaced: true, document: { title: 'b' } },
  ]

  test.each([
    ['a list', two],
    ['an object with documents', { documents: two }],
  ])('%s is read', async (_, content) => {
    expect(await read('f.json', JSON.stringify(content))).toEqual(expected)
  })

  test('a single document is read', async () => {
    expect(await read('f.json', '{"title":"a"}')).toHaveLength(1)
  })

  test('a number that would become another one is reported at its place', async () => {
    expect(await read('f.json', '[{"id":"1","title":"a"},{"title":"b","n":[1e999]}]')).toEqual([
      { file: 'f.json', line: 1, id: '1', document: { title: 'a' } },
      {
        file: 'f.json',
        line: 2,
        reason: expect.stringMatching(/^n\[0\] is a number out of range/),
      },
    ])
  })

  test('broken JSON is reported with a hint', async () => {
    expect(await read('f.json', '{"a":1}\n{"a":2}')).toEqual([
      {
        file: 'f.json',
        line: 0,
        reason: 'is not valid JSON at line 2, column 1 (one document a line? then name it .ndjson)',
      },
    ])
    expect(await read('f.ndjson', '\uFEFF{"a" 1}')).toEqual([
      { file: 'f.ndjson', line: 1, reason: 'is not valid JSON at column 6' },
    ])
  })

  test('a file of more objects than are read at once is not called broken', async () => {
    const [found] = await read('f.json', `[${'{},'.repeat(1_000_000)}{}]`)
    expect(found).toEqual({
      file: 'f.json',
      line: 0,
      reason: 'The file holds more than 1000000 objects and lists: send it in parts.',
    })
  })

  test('lines of what to do, as other engines take them, are refused with the document behind', async () => {
    const lines =
      '{"index":{"_id":"7"}}\n{"title":"a"}\n{"delete":{"_id":"8"}}\n{"id":"9","title":"b"}'
    const ofItsOwn = expect.stringMatching(/in a line of its own; a bulk takes one line for each/)
    expect(await read('f.ndjson', lines)).toEqual([
      { file: 'f.ndjson', line: 1, reason: ofItsOwn },
      { file: 'f.ndjson', line: 2, reason: expect.stringContaining('the line before it') },
      { file: 'f.ndjson', line: 3, reason: ofItsOwn },
      { file: 'f.ndjson', line: 4, id: '9', document: { title: 'b' } },
    ])
  })

  test('a line that says what to do, and nothing else, is no document', async () => {
    const lines = '{"op":"dlete","id":"1"}\n{"op":"update","id":"1","index":"x"}'
    expect(await read('f.ndjson', lines)).toEqual([
      { file: 'f.ndjson', line: 1, reason: expect.stringContaining('index, put, create') },
      { file: 'f.ndjson', line: 2, reason: 'has an op but no document' },
    ])
  })

  test('lines around a document carry its id, index, vector and deletions', async () => {
    const lines =
      '\uFEFF{"index":"x","id":"1","document":{"title":"a"},"vector":[1,0]}\r\n{"op":"delete","id":"2"}\r\n{"op":"delete"}\r\n'
    expect(await read('f.ndjson', lines)).toEqual([
      { file: 'f.ndjson', line: 1, index: 'x', id: '1', vector: [1, 0], document: { title: 'a' } },
      { file: 'f.ndjson', line: 2, op: 'delete', id: '2' },
      { file: 'f.ndjson', line: 3, reason: expect.stringContaining('no id') },
    ])
  })

  test('a line that says delete and has fields is neither deleted nor loaded, unless op is a field there', async () => {
    const line = '{"id":"1","title":"a","op":"delete"}'
    const reason = expect.stringContaining('asks for a deletion and has a field "title"')
    expect(await read('f.ndjson', line)).toEqual([{ file: 'f.ndjson', line: 1, reason }])
    expect(await read('f.json', `[${line}]`)).toMatchObject([{ line: 1, reason }])
    const document = { title: 'a', change: 'delete' }
    const rename = new Map([['op', 'change']])
    expect(await read('f.ndjson', line, { rename })).toMatchObject([{ id: '1', document }])
    const around = '{"op":"delete","_id":"2","index":"x","_version":3}'
    expect(await read('f.ndjson', around)).toMatchObject([{ op: 'delete', id: '2', index: 'x' }])
  })

  test('lines as Elasticsearch exports them are the documents within, with their id and index', async () => {
    const hit = (more: object) => JSON.stringify({ _index: 'films', _score: null, ...more })
    const lines = [
      hit({ _id: '7', _type: '_doc', _source: { id: 3, title: 'a', name: 'x' }, sort: [7] }),
      hit({ _source: { title: 'b', id: 'own' } }),
      hit({ _id: '8', _source: { title: 'c' }, title: 'no hit has one' }),
      hit({ _id: '9', _source: 'title' }),
    ].join('\n')
    const at = { file: 'f.ndjson' }
    const [first, second, ...others] = await read('f.ndjson', lines)
    const document = { id: 3, title: 'a', name: 'x' }
    expect(first).toEqual({ ...at, line: 1, index: 'films', id: '7', document })
    expect(second).toEqual({ ...at, line: 2, index: 'films', id: 'own', document: { title: 'b' } })
    expect(others).toMatchObject([
      { id: '8', document: { _source: { title: 'c' }, title: 'no hit has one' } },
      { id: '9', document: { _source: 'title' } },
    ])
    const answer = `{"took":1,"hits":{"total":{"value":1},"hits":[${lines.split('\n')[0]}]}}`
    expect(await read('f.json', answer)).toMatchObject([{ index: 'films', id: '7', document }])
    const rename = new Map([['name', 'label']])
    const [into] = await read('f.ndjson', lines, { idField: '_id', index: 'movies', rename })
    expect(into).toEqual({ ...at, line: 1, id: '7', document: { id: 3, title: 'a', label: 'x' } })
  })

  test('lines say what they ask for; only a change keeps what it takes away', async () => {
    const line = (op: string, more: object = { id: '1' }) =>
      JSON.stringify({ op, ...more, document: { title: 'a', year: null } })
    const lines = ['index', 'PUT', 'create', 'update', 'upsert', 'delete', 'frob'].map((op) =>
      line(op),
    )
    const plain = JSON.stringify({ id: '2', title: 'b', op: 'update' })
    const found = await read('f.ndjson', [...lines, line('update', {}), plain].join('\n'))
    const document = { title: 'a' }
    const change = { title: 'a', year: null }
    const at = { file: 'f.ndjson', id: '1' }
    expect(found).toEqual([
      { ...at, line: 1, document },
      { ...at, line: 2, document },
      { ...at, line: 3, op: 'create', document },
      { ...at, line: 4, op: 'update', document: change },
      { ...at, line: 5, op: 'upsert', document: change },
      { ...at, line: 6, op: 'delete' },
      { file: 'f.ndjson', line: 7, reason: expect.stringContaining('index, put, create') },
      { file: 'f.ndjson', line: 8, reason: 'asks for an update but names no id' },
      { file: 'f.ndjson', line: 9, id: '2', document: { title: 'b', op: 'update' } },
    ])
  })

  test('fields are renamed and a missing id field is reported', async () => {
    const mapping = {
      idField: 'sku',
      rename: new Map([
        ['name', 'title'],
        ['by', 'authors'],
      ]),
    }
    const found = await read(
      'f.ndjson',
      '{"sku":7,"name":"a","by":"Ann","id":3}\n{"name":"b"}',
      mapping,
    )
    expect(found[0]).toMatchObject({ id: '7', document: { title: 'a', authors: ['Ann'], id: 3 } })
    expect(found[1]).toMatchObject({ line: 2, reason: expect.stringContaining('"sku"') })
  })

  test('of fields with HTML the text is loaded, whatever they are called then', async () => {
    const mapping = { rename: new Map([['body', 'content']]), html: new Set(['body', 'steps']) }
    const lines =
      '{"id":1,"title":"<b>a</b>","body":"<p>K&uuml;hl</p>","steps":["<li>1","2</li>",3]}'
    expect(documents(await read('f.ndjson', lines, mapping))).toEqual([
      { title: '<b>a</b>', content: 'Kühl', steps: ['1', '2', 3] },
    ])
    expect(documents(await read('f.csv', 'title,body\na,<i>b</i>\n', mapping))).toEqual([
      { title: 'a', content: 'b' },
    ])
  })

  test('a field that is to be called id holds the id, unless another was named for that', async () => {
    const map = new Map([
      ['sku', 'id'],
      ['name', 'title'],
    ])
    const csv = 'sku,name\n007,a\n'
    const by = (idField?: string) => read('f.csv', csv, mappingOf(map, idField, undefined))
    expect(await by()).toMatchObject([{ id: '007', document: { title: 'a' } }])
    expect(await by('name')).toMatchObject([{ id: 'a', document: { id: '007' } }])
    expect(await read('g.csv', 'name\na\n', mappingOf(map, undefined, 'x'))).toMatchObject([
      { line: 2, reason: expect.stringContaining('"sku" for the id') },
    ])
  })

  test('the field that holds the id is one of the document, too, where it is also renamed', async () => {
    const map = new Map([
      ['sku', 'code'],
      ['name', 'title'],
    ])
    const lines = '{"sku":7,"name":"a"}'
    const by = async (rename: ReadonlyMap<string, string>) =>
      read('f.ndjson', lines, mappingOf(rename, 'sku', undefined))
    expect(await by(map)).toMatchObject([{ id: '7', document: { code: 7, title: 'a' } }])
    const csv = 'sku,name\n1.10,a\n'
    expect(await read('f.csv', csv, mappingOf(map, 'sku', undefined))).toMatchObject([
      { id: '1.10', document: { code: '1.10', title: 'a' } },
    ])
    const [only] = documents(await by(new Map()))
    expect(only).toEqual({ name: 'a' })
  })

  test('an id may be any word; what is neither text nor number is a field like any other', async () => {
    const lines = '{"id":"missing","title":"a"}\n{"_id":{"$oid":"5f"},"title":"b"}'
    const at = { file: 'f.ndjson' }
    expect(await read('f.ndjson', lines)).toEqual([
      { ...at, line: 1, id: 'missing', document: { title: 'a' } },
      {
        ...{ ...at, line: 2, id: 'f.ndjson#2', isPlaced: true },
        document: { _id: { $oid: '5f' }, title: 'b' },
      },
    ])
    const named = await read('f.ndjson', lines, { idField: '_id', rename: new Map() })
    const reason = 'has no text or number in "_id" for the id'
    expect(named).toEqual([1, 2].map((line) => ({ ...at, line, reason })))
  })

  test('a line in which a renamed field would take the place of another is refused', async () => {
    const lines = '{"title":"Mr","name":"Bolt"}\n{"title":null,"name":"Nut"}'
    const renamed = (...pairs: [string, string][]) =>
      read('f.ndjson', lines, { rename: new Map(pairs) }).then(documents)
    const reason = 'has more than one field for "title": --map each to a name of its own'
    expect(await renamed(['name', 'title'])).toEqual([
      { file: 'f.ndjson', line: 1, reason },
      { title: 'Nut' },
    ])
    expect(await renamed(['name', 'title'], ['title', 'salutation'])).toEqual([
      { salutation: 'Mr', title: 'Bolt' },
      { title: 'Nut' },
    ])
  })

  test('characters that lie across two chunks arrive whole', async () => {
    const text = '€'.repeat(100_000)
    const [found] = await read('f.ndjson', JSON.stringify({ id: '1', title: text }))
    expect(found).toMatchObject({ document: { title: text } })
  })
})

describe('reading tables', () => {
  test('cells become values, lists and text; empty ones are left out', async () => {
    const csv = 'id,title,tags,year,code,new\n1,"A, b",x; y,2020,007,true\n2,7,,,1e3,\n'
    expect(documents(await read('f.csv', csv))).toEqual([
      { title: 'A, b', tags: ['x', 'y'], year: 2020, code: '007', new: true },
      { title: '7', code: '1e3' },
    ])
  })

  test('prices are numbers, whatever zeros they end in; what a number would not tell stays text', async () => {
    const numbers = ['12.50', '12.00', '0.10', '-3.50', '100', '12345678901.20']
    const texts = ['007', '00.50', '1e3', '12.', '.50', '-0', '-0.00', '1.2.0', '12,50', '+1']
    const others = ['Infinity', 'NaN', '12345678901234567890', '0.12345678901234567890']
    const cellsOf = async (cells: string[]) => {
      const rows = cells.map((cell) => `a,"${cell}"`).join('\n')
      return documents(await read('f.csv', `title,n\n${rows}`)).map(
        (one) => (one as { n: unknown }).n,
      )
    }
    expect(await cellsOf(numbers)).toEqual([12.5, 12, 0.1, -3.5, 100, 12_345_678_901.2])
    expect(await cellsOf(texts)).toEqual(texts)
    expect(await cellsOf(others)).toEqual(others)
  })

  test('numbers stay text when asked', async () => {
    const found = await read('f.csv', 'title,year\na,2020', undefined, true)
    expect(documents(found)).toEqual([{ title: 'a', year: '2020' }])
  })

  test.each([';', '\t'])('the separator %j is found from the header', async (separator) => {
    const csv = `id${separator}title\n1${separator}a, b\n`
    expect(documents(await read('f.csv', csv))).toEqual([{ title: 'a, b' }])
  })

  test.each([
    ['sep=|', '\n'],
    ['\uFEFFSEP=|', '\r\n'],
    ['"sep=|"', '\r\n'],
    ['sep=|;;', '\n'],
  ])('the line %j before the header says what separates cells', async (told, end) => {
    const rows = ['title|tags, all|year', '"a\nb"|x, y|2020', 'c|d', 'e|f|2021', '']
    expect(await read('f.csv', [told, ...rows].join(end))).toMatchObject([
      { id: 'f.csv#4', line: 4, document: { title: 'a\nb', 'tags, all': 'x, y', year: 2020 } },
      { line: 5, reason: rowOf(2, 3) },
      { id: 'f.csv#6', line: 6, document: { title: 'e', year: 2021 } },
    ])
    expect(await read('f.csv', told + end)).toEqual([])
  })

  test('a column may be named like such a line', async () => {
    expect(documents(await read('f.csv', 'sep=a\ttitle\n1\tb\n'))).toEqual([
      { 'sep=a': 1, title: 'b' },
    ])
  })

  test('signs within quoted names of the header part nothing', async () => {
    const csv = '\uFEFF"title";"place (street, number, ""c/o"", town)"\na;"High Street, 1, Leeds"\n'
    expect(documents(await read('f.csv', csv))).toEqual([
      { title: 'a', 'place (street, number, "c/o", town)': 'High Street, 1, Leeds' },
    ])
    const open = 'title;label;\n"x";a,b,c,d,e;\n'
    expect(documents(await read('f.csv', open))).toEqual([{ title: 'x', label: 'a,b,c,d,e' }])
    expect(documents(await read('f.csv', 'title,5" wide,6" high\na,1,2\n'))).toEqual([
      { title: 'a', '5" wide': 1, '6" high': 2 },
    ])
  })

  test('cells of mapped fields become what these take, others what they plainly are', async () => {
    const header = 'zip,model,price,stock,new,born,at,place,vector,free'
    const rows = [
      '8001,2024,007.50,12,TRUE,2001-02-03,1700000000000,"{""town"":""Köln"",""zip"":""01067""}","[0.5,1]",8001',
      'A 1,x,4 €,twelve,maybe,n/a,2024-01-02,Köln,,t',
    ]
    const types = new Map([
      ['zip', 'keyword'],
      ['model', 'text'],
      ['cost', 'double'],
      ['stock', 'integer'],
      ['new', 'boolean'],
      ['born', 'date'],
      ['at', 'date'],
      ['place', 'object'],
      ['vector', 'dense_vector'],
    ])
    const mapping = { rename: new Map([['price', 'cost']]), types }
    const csv = `${header}\n${rows.join('\n')}\n`
    const first = { zip: '8001', model: '2024', cost: 7.5, stock: 12, new: true }
    const dates = { born: '2001-02-03', at: 1700000000000 }
    const place = { place: { town: 'Köln', zip: '01067' }, vector: [0.5, 1] }
    // What a field can't take stays as it is, for the server to refuse.
    const second = { zip: 'A 1', model: 'x', cost: '4 €', stock: 'twelve', new: 'maybe' }
    const others = { born: 'n/a', at: '2024-01-02', place: 'Köln', free: 't' }
    expect(documents(await read('f.csv', csv, mapping))).toEqual([
      { ...first, ...dates, ...place, free: 8001 },
      { ...second, ...others },
    ])
    // It would be 1234567890123456800, without a word.
    const whole = 'stock\n1234567890123456789\n9007199254740992\n'
    expect(documents(await read('f.csv', whole, mapping))).toEqual([
      { stock: '1234567890123456789' },
      { stock: 9_007_199_254_740_992 },
    ])
    const [kept] = documents(await read('f.csv', csv, mapping, true))
    expect(kept).toEqual({ ...first, ...dates, ...place, free: '8001' })
  })

  test('a number in JSON of a cell that would become another one leaves the cell as it is', async () => {
    const types = new Map([['o', 'object']])
    const csv = 'title,o\na,"{""n"":12345678901234567}"\n'
    expect(documents(await read('f.csv', csv, { rename: new Map(), types }))).toEqual([
      { title: 'a', o: '{"n":12345678901234567}' },
    ])
  })

  test('cells are fields, whatever their columns are called: op, index and document say nothing of the row', async () => {
    const csv =
      'id,title,op,index,document,_source\n1,a,delete,x,y,z\n2,b,update,,,\n,c,delete,,,\n'
    const types = new Map([['document', 'object']])
    const mapping = { rename: new Map(), types }
    expect(await read('f.csv', csv, mapping)).toEqual([
      {
        ...{ file: 'f.csv', line: 2, id: '1' },
        document: { title: 'a', op: 'delete', index: 'x', document: 'y', _source: 'z' },
      },
      { file: 'f.csv', line: 3, id: '2', document: { title: 'b', op: 'update' } },
      {
        ...{ file: 'f.csv', line: 4, id: 'f.csv#4', isPlaced: true },
        document: { title: 'c', op: 'delete' },
      },
    ])
  })

  test('bars part cells where the header has no other separator', async () => {
    expect(documents(await read('f.csv', 'title|"a|b"|price\nx, y;z|1|2.50\n'))).toEqual([
      { title: 'x, y;z', 'a|b': 1, price: 2.5 },
    ])
    expect(documents(await read('f.csv', 'title,a|b\nx,1\n'))).toEqual([{ title: 'x', 'a|b': 1 }])
    expect(documents(await read('f.csv', 'title\nx|y\n'))).toEqual([{ title: 'x|y' }])
  })

  test('\\N, as databases write no value, is none', async () => {
    const tsv = 'id\ttitle\tleft\tpath\n7\ta\t\\N\tC:\\N\n\\N\tb\t2024-01-01\t\\N\n'
    expect(await read('f.tsv', tsv)).toMatchObject([
      { id: '7', document: { title: 'a', path: 'C:\\N' } },
      { id: 'f.tsv#3', document: { title: 'b', left: '2024-01-01' } },
    ])
    const [first] = documents(await read('f.tsv', tsv))
    expect(first).not.toHaveProperty('left')
  })

  test('cells of the field that holds the id stay text: 1.10 is not 1.1', async () => {
    const csv = 'version,title,size\n1.1,a,1.1\n1.10,b,1.10\ntrue,c,\n'
    const found = await read('f.csv', csv, { idField: 'version', rename: new Map() })
    expect(found).toMatchObject([
      { id: '1.1', document: { size: 1.1 } },
      { id: '1.10', document: { size: 1.1 } },
      { id: 'true', document: { title: 'c' } },
    ])
  })

  test('columns of one name make a list of what is not empty', async () => {
    const csv =
      'id,title,label,label,label,tags,tags\n1,a,x,7,,p;q,r\n2,b,,y,,,\n3,"c\r\nd",,,,"e\r\nf",\n4\n'
    expect(await read('f.csv', csv)).toMatchObject([
      { line: 2, document: { title: 'a', label: ['x', 7], tags: ['p', 'q', 'r'] } },
      { line: 3, document: { title: 'b', label: 'y' } },
      { line: 6, document: { title: 'c\r\nd', tags: ['e\r\nf'] } },
      { line: 7, reason: rowOf(1, 7) },
    ])
  })

  test('a row with too many cells is reported with its line and the rest is read', async () => {
    const found = await read('f.csv.gz', gzipSync('id,title\n1,a\n2,b,c\n3,d\n'))
    expect(documents(found.filter((one) => 'document' in one))).toEqual([
      { title: 'a' },
      { title: 'd' },
    ])
    expect(found.filter((one) => 'reason' in one)).toEqual([
      { file: 'f.csv.gz', line: 3, reason: rowOf(3, 2) },
    ])
  })

  const rowOf = (cells: number, names: number) =>
    `has ${cells} cells where the header names ${names}; a cell with the separator in it stands in double quotes`

  test('lines are counted as editors count them, also where cells hold ends of lines', async () => {
    const table = 'id,title\r\n1,"a\r\nb"\r\n2,"c\nd"\r\n\r\n3\r\n,e\r\n'
    expect(await read('f.csv', table)).toEqual([
      { file: 'f.csv', line: 3, id: '1', document: { title: 'a\r\nb' } },
      { file: 'f.csv', line: 5, id: '2', document: { title: 'c\nd' } },
      { file: 'f.csv', line: 7, reason: rowOf(1, 2) },
      // an id that was given once stays: the load after replaces its document
      { file: 'f.csv', line: 8, id: 'f.csv#9', isPlaced: true, document: { title: 'e' } },
    ])
  })

  test.each([',', '\t'])(
    'a double quote inside of a cell stands for itself: %j',
    async (separator) => {
      const row = ['1', 'pipe 5" long', 'so-called "best" one'].join(separator)
      const table = `${['id', 'title', 'content'].join(separator)}\n${row}\n`
      expect(documents(await read('f.csv', table))).toEqual([
        { title: 'pipe 5" long', content: 'so-called "best" one' },
      ])
    },
  )

  test('a quoted word that begins a cell is a part of it, and costs no row behind it', async () => {
    const words = ['"Hello" said Bob', '"a" and "b"', '"x"y"', '"a, b" c']
    const rows = Array.from({ length: 5000 }, (_, at) => `${at},${words[at] ?? 'plain'}`)
    const found = documents(await read('f.csv', `id,title\n${rows.join('\n')}`))
    expect(found.slice(0, 5)).toEqual([...words, 'plain'].map((title) => ({ title })))
    expect(found).toHaveLength(5000)
    expect(documents(await read('f.csv', 'title\t"n" \n "a, b" \t "c" \n'))).toEqual([
      { title: 'a, b', n: 'c' },
    ])
  })

  test('columns may have the names that all objects have', async () => {
    const csv = 'title,constructor,toString,toString\na,b,c,d\n'
    const names = { constructor: 'b', toString: ['c', 'd'] }
    expect(documents(await read('f.csv', csv))).toEqual([{ title: 'a', ...names }])
  })

  test('of as many tabs as commas the tab parts cells, and nothing a header of one name', async () => {
    expect(documents(await read('f.tsv', 'title\tlong, wide\na\tb\n'))).toEqual([
      { title: 'a', 'long, wide': 'b' },
    ])
    expect(documents(await read('f.csv', 'title\na, b; c\n'))).toEqual([{ title: 'a, b; c' }])
  })

  test('a cell that is never closed is told by where it opens, once', async () => {
    expect(await read('f.csv', 'id,title\n1,a\n2,"b\n3,c\n4,d\n')).toEqual([
      { file: 'f.csv', line: 2, id: '1', document: { title: 'a' } },
      {
        file: 'f.csv',
        line: 3,
        reason: 'opens a cell with a double quote that nothing closes; no row behind it is loaded',
      },
    ])
  })

  test('between commas, too, where a cell of another row has such a sign within', async () => {
    const csv = 'id,title,year\n1,"a,1\n2,b,2\n3,said "c" d,3\n'
    expect(documents(await read('f.csv', csv))).toEqual([
      { title: '"a', year: 1 },
      { title: 'b', year: 2 },
      { title: 'said "c" d', year: 3 },
    ])
  })

  describe('between tabs, a double quote that would swallow rows is a sign like any other', () => {
    const header = 'id\ttitle\tyear'
    const rowsOf = async (...lines: string[]) =>
      (await read('f.tsv', [header, ...lines, ''].join('\n'))).map((one) =>
        'reason' in one ? `${one.line}: ${one.reason}` : `${one.line}: ${one.document?.title}`,
      )

    test.each([
      [
        'to a row that has one inside',
        ['2\t"b\t2', '3\tc\t3', '4\tsaid "d" e\t4'],
        ['"b', 'c', 'said "d" e'],
      ],
      ['to a cell that ends with one', ['2\t"b\t2', '3\tc\t3', '4\td"\t4'], ['"b', 'c', 'd"']],
      ['to the end of the row', ['2\t"b\t2"', '3\tc\t3'], ['"b', 'c']],
      ['to the end of the file', ['2\t"b\t2', '3\tc\t3'], ['"b', 'c']],
    ])('%s', async (_how, rows, titles) => {
      const found = await rowsOf('1\ta\t1', '', ...rows)
      expect(found).toEqual(['2: a', ...titles.map((title, at) => `${4 + at}: ${title}`)])
    })

    test('what is no row by itself is told, and ids by place stay apart', async () => {
      const table = 'title\tyear\n"a\t1\nb\nc\t3\nd\t4\n'
      const found = await read('f.tsv', table)
      expect(found).toEqual([
        {
          file: 'f.tsv',
          line: 2,
          id: 'f.tsv#2',
          isPlaced: true,
          document: { title: '"a', year: 1 },
        },
        { file: 'f.tsv', line: 3, reason: rowOf(1, 2) },
        {
          file: 'f.tsv',
          line: 4,
          id: 'f.tsv#4',
          isPlaced: true,
          document: { title: 'c', year: 3 },
        },
        {
          file: 'f.tsv',
          line: 5,
          id: 'f.tsv#5',
          isPlaced: true,
          document: { title: 'd', year: 4 },
        },
      ])
    })

    test('cells that are quoted may have tabs and ends of lines', async () => {
      expect(await rowsOf('1\t"a\nb"\t1', '2\t"c\td"\t2', '3\t"e"\t"f\ng"')).toEqual([
        '3: a\nb',
        '4: c\td',
        '6: e',
      ])
    })
  })

  test('an empty table holds nothing', async () => {
    expect(await read('f.csv', '')).toEqual([])
  })

  test('a table larger than its buffers is read to the end', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},title number ${at}`)
    expect(await read('f.csv', `id,title\n${rows.join('\n')}`)).toHaveLength(20_000)
  })
})

describe('reading prose', () => {
  test('a text file is one document named after its file', async () => {
    expect(await read('notes/a.txt', ' hello \n')).toEqual([
      {
        file: 'notes/a.txt',
        line: 1,
        id: 'notes/a.txt',
        document: { title: 'a', content: 'hello', source: 'notes/a.txt' },
      },
    ])
  })

  test('ids do not depend on how the path is spelled, only on the folder of the command', async () => {
    file('notes/a.txt', 'hello')
    const nameOf = async (path: string, from = folder) => {
      const [source] = await findFiles([path], from)
      return source?.name
    }
    for (const path of ['notes/a.txt', './notes/a.txt', 'notes/../notes/a.txt', 'notes', '.'])
      expect(await nameOf(path), path).toBe('notes/a.txt')
    expect(await nameOf(join(folder, 'notes/a.txt'))).toBe('notes/a.txt')
    expect(await nameOf('a.txt', join(folder, 'notes'))).toBe('a.txt')
    expect(await nameOf('../a.txt', join(folder, 'notes', 'deeper'))).toBe(
      join(folder, 'notes/a.txt'),
    )
  })

  const idsOf = async (markdown: string) =>
    (await read('a.md', markdown)).map((found) => ('id' in found ? found.id : found))

  test('sections keep their ids whatever is put before them: these are their headings', async () => {
    const old = '# Guide\nabout\n## Install\nrun it\n## Überblick für 猫\nnya\n'
    const ids = ['a.md#Guide', 'a.md#Guide/Install', 'a.md#Guide/Überblick für 猫']
    expect(await idsOf(old)).toEqual(ids)
    expect(await idsOf(`# News\nnew\n\n${old}`)).toEqual(['a.md#News', ...ids])
    expect(await idsOf(`intro\n\n${old}`)).toEqual(['a.md', ...ids])
  })

  test('sections under the same headings are numbered, and no two have one id', async () => {
    const markdown = ['A', 'A (2)', 'A', 'A', '', ''].map((heading) => `# ${heading}\ntext\n`)
    expect(await idsOf(`intro\n${markdown.join('')}`)).toEqual([
      ...['a.md', 'a.md#A', 'a.md#A (2)', 'a.md#A(2)', 'a.md#A(3)', 'a.md#(2)', 'a.md#(3)'],
    ])
    const many = '# A\ntext\n'.repeat(30_000)
    expect(new Set(await idsOf(many)).size).toBe(30_000)
  })

  test('ids of long headings end in a hash of all of it', async () => {
    const ids = await idsOf(`# ${'長'.repeat(300)}\ntext\n# ${'長'.repeat(301)}\ntext`)
    for (const id of ids) expect(Buffer.byteLength(id as string)).toBeLessThanOrEqual(512)
    expect(new Set(ids).size).toBe(2)
  })

  test('an empty text file holds no document', async () => {
    expect(await read('a.txt', ' \n')).toEqual([])
  })
})

describe('texts that are not UTF-8', () => {
  const reason = 'is not UTF-8; save or convert the file as UTF-8 first'
  const latin = (text: string) => Buffer.from(text, 'latin1')

  test.each(['a.txt', 'a.md', 'a.json'])('are refused whole: %s', async (name) => {
    expect(await read(name, latin('{"title": "Müller"}'))).toEqual([
      { file: name, line: 0, reason },
    ])
    const wide = Buffer.from('\uFEFF{"title": "wide"}', 'utf16le')
    expect(await read(name, wide)).toEqual([{ file: name, line: 0, reason }])
  })

  test('are refused line by line, and what is UTF-8 is read', async () => {
    const lines = [
      Buffer.from('{"title": "Größe"}\n'),
      latin('{"title": "Müller"}\n'),
      Buffer.from('{"title": "\uFFFD"}'),
    ]
    expect(documents(await read('a.ndjson', Buffer.concat(lines)))).toEqual([
      { title: 'Größe' },
      { file: 'a.ndjson', line: 2, reason },
      { title: '\uFFFD' },
    ])
  })

  test('end a table', async () => {
    const further = { file: 'a.csv', line: 0, reason: `can't be read further: it ${reason}` }
    for (const table of [latin('title\nMüller\n'), Buffer.from('title\nGröße').subarray(0, -2)])
      expect(documents(await read('a.csv', table))).toEqual([further])
    expect(documents(await read('a.csv', Buffer.from('title\nGröße\n')))).toEqual([
      { title: 'Größe' },
    ])
  })
})
