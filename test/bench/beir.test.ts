import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { readCollection, splitQueries } from '../../bench/beir.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(join(folder, 'qrels'))
  write('corpus.jsonl', '{"_id":"d1","title":"One","text":"first"}\n{"_id":"d2","text":"second"}\n')
  write('queries.jsonl', '{"_id":"q1","text":"one"}\n{"_id":"q2","text":"two"}\n')
  write('qrels/test.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td2\t2\n')
})

function write(name: string, text: string | Buffer): void {
  writeFileSync(join(folder, name), text)
}

function remove(name: string): void {
  rmSync(join(folder, name), { recursive: true })
}

const GOOD = {
  documents: [
    { id: 'd1', title: 'One', content: 'first' },
    { id: 'd2', title: '', content: 'second' },
  ],
  queries: [
    { id: 'q1', text: 'one', labels: new Map([['d1', 1]]) },
    { id: 'q2', text: 'two', labels: new Map([['d2', 2]]) },
  ],
  remarks: [],
}

describe('a collection in BEIR’s form', () => {
  it('is read with what people’s files have besides: CR LF, a byte order mark, gzip, no heading, no last line end', async () => {
    expect(await readCollection(folder)).toEqual(GOOD)
    const dos = (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`
    write(
      'corpus.jsonl',
      dos('{"_id":"d1","title":"One","text":"first"}\n\n{"_id":"d2","text":"second"}'),
    )
    remove('queries.jsonl')
    write('queries.jsonl.gz', gzipSync(dos('{"_id":"q1","text":"one"}\n{"_id":"q2","text":"two"}')))
    write('qrels/test.tsv', dos('q1\td1\t1\nq2\td2\t2'))
    expect(await readCollection(folder)).toEqual(GOOD)
  })

  it('may count with numbers, and keeps separators of lines that stand in a text', async () => {
    write(
      'corpus.jsonl',
      '{"_id":1,"title":null,"text":"a\u2028b"}\n{"_id":2,"title":7,"text":"c"}',
    )
    write('queries.jsonl', '{"_id":10,"text":"one"}')
    write('qrels/test.tsv', '10\t2\t1')
    expect(await readCollection(folder)).toEqual({
      documents: [
        { id: '1', title: '', content: 'a\u2028b' },
        { id: '2', title: '7', content: 'c' },
      ],
      queries: [{ id: '10', text: 'one', labels: new Map([['2', 1]]) }],
      remarks: [],
    })
  })

  it('says what is odd about it and goes on', async () => {
    write('corpus.jsonl', '{"_id":"d1","text":"old"}\n{"_id":"d1","text":"new"}\n{"_id":"d2"}')
    write('queries.jsonl', `{"_id":"q1","text":"${'é'.repeat(4097)}"}\n{"_id":"q2","text":" "}`)
    write('qrels/test.tsv', 'q1\td1\t1\nq1\td9\t1\nq2\td1\t1\nq3\td1\t1')
    const { documents, queries, remarks } = await readCollection(folder)
    expect(documents.map(({ content }) => content)).toEqual(['new'])
    expect(queries.map(({ text }) => text)).toEqual(['é'.repeat(4096)])
    expect(remarks).toEqual([
      'Lines of corpus.jsonl with an _id that comes again, of which the last counts: 1.',
      'Documents with neither title nor text, which the service takes none of: 1, left out.',
      'Judged queries without a text, which are left out: 1.',
      'Judged queries that are not in queries.jsonl: 1 of 3.',
      'Queries longer than the 4096 characters that a search takes, which are cut there: 1.',
      "Documents that qrels/test.tsv judges above 0 and that can't be found, since they are not there: 1 of 2.",
    ])
  })

  it.each<[string, () => void, string]>([
    [
      'no judgements',
      () => remove('qrels'),
      'test.tsv is missing: name the folder of a collection',
    ],
    [
      'other judgements',
      () => {
        write('qrels/dev.tsv', '')
        remove('qrels/test.tsv')
      },
      'There is qrels of dev: choose by --split.',
    ],
    [
      'a folder of collections',
      () => {
        mkdirSync(join(folder, 'inner'))
        write('inner/corpus.jsonl', '')
        remove('corpus.jsonl')
      },
      'There are collections in it: inner.',
    ],
    ['no documents', () => write('corpus.jsonl', '\n'), 'has a corpus.jsonl without documents'],
    [
      'no JSON',
      () => write('corpus.jsonl', '\n_id,text'),
      'corpus.jsonl, line 2: this is no JSON.',
    ],
    [
      'no _id',
      () => write('queries.jsonl', '{"id":"q1"}'),
      'queries.jsonl, line 1: this has no "_id"',
    ],
    [
      'the form of TREC',
      () => write('qrels/test.tsv', 'q1 0 d1 1\nq2 0 d2 1'),
      'test.tsv, line 2: this must be a query’s _id',
    ],
    [
      'the form of TREC with tabs',
      () => write('qrels/test.tsv', '1\t0\t1\t1\n2\t0\t2\t1'),
      'test.tsv, line 2: this must be a query’s _id',
    ],
    [
      'queries of another collection',
      () => write('queries.jsonl', '{"_id":"x","text":"one"}'),
      'are queries.jsonl and qrels/test.tsv of the same collection?',
    ],
    [
      'documents of another collection',
      () => write('corpus.jsonl', '{"_id":"x","text":"one"}'),
      'No document that qrels/test.tsv judges is in the corpus',
    ],
    [
      'no gzip',
      () => {
        remove('corpus.jsonl')
        write('corpus.jsonl.gz', 'no gzip')
      },
      "corpus.jsonl.gz can't be unpacked",
    ],
    [
      'half a gzip',
      () => {
        remove('corpus.jsonl')
        write('corpus.jsonl.gz', gzipSync('{"_id":"d1","text":"first"}').subarray(0, 20))
      },
      "corpus.jsonl.gz can't be unpacked",
    ],
  ])('is refused with a sentence that says what to do: %s', async (_, spoil, told) => {
    spoil()
    await expect(readCollection(folder)).rejects.toThrow(told.replaceAll('’', "'"))
  })

  it('is refused where a file is named instead of its folder', async () => {
    const path = join(folder, 'corpus.jsonl')
    await expect(readCollection(path)).rejects.toThrow(`${path} is a file: name the folder`)
  })

  it('has judgements of other splits', async () => {
    write('qrels/dev.tsv', 'q2\td1\t3\n')
    const { queries } = await readCollection(folder, 'dev')
    expect(queries).toEqual([{ id: 'q2', text: 'two', labels: new Map([['d1', 3]]) }])
  })
})

describe('the queries that nobody asks', () => {
  const labels = new Map([['d', 1]])
  const queriesOf = (texts: string[]) => texts.map((text, at) => ({ id: `q${at}`, text, labels }))

  it('are a share of all, and none where there are hardly any', () => {
    const { asked, unseen } = splitQueries(
      queriesOf(Array.from({ length: 100 }, (_, at) => `${at}`)),
      0.2,
    )
    expect([asked.length, unseen.length]).toEqual([80, 20])
    const few = queriesOf(['a', 'b'])
    expect(splitQueries(few, 0.2)).toEqual({ asked: few, unseen: [] })
  })

  it('are none that somebody asks in the same words', () => {
    const { asked, unseen } = splitQueries(
      queriesOf(['Same  words', 'other', 'same words', 'more']),
      0.2,
    )
    expect(asked.map(({ id }) => id)).toEqual(['q2', 'q3'])
    expect(unseen.map(({ id }) => id)).toEqual(['q1'])
  })
})
