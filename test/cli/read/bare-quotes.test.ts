import { describe, expect, test } from 'vitest'
import { openBareQuotes } from '../../../src/cli/read/bare-quotes.ts'

/** What is handed on of a table, of which so many bytes come at a time. */
function handedOn(
  table: string,
  { bytes = Number.MAX_SAFE_INTEGER, headerLine = 1, delimiter = '\t' } = {},
): string {
  const all = Buffer.from(table)
  const quotes = openBareQuotes(headerLine, delimiter)
  const out: Buffer[] = []
  for (let at = 0; at < all.length; at += bytes) out.push(quotes.take(all.subarray(at, at + bytes)))
  out.push(quotes.end())
  return Buffer.concat(out).toString()
}

const header = 'id\ttitle\n'

test.each([
  ['nothing is quoted', `${header}1\ta\n\n2\tb`],
  ['cells are quoted', `${header}"1"\t"a ""b"" c"\r\n2\t""\r\n`],
  ['cells have tabs and ends of lines', `${header}1\t"a\tb\n\nc"\n2\t"d\r\ne"\r\n`],
  ['a quote stands within a cell', `${header}1\t5" wide\n2\tso-called "best"\n`],
  ['a quoted word begins a cell', `${header}1\t"a" b\n`],
  ['the header goes on in the next line', 'id\t"title\nof it"\n1\t"a\n2\tb\n'],
  ['there is one column', 'title\n"a\nb"\n'],
  ['lines end with CR alone', 'id\ttitle\r1\t"a\r2\tb\r'],
  ['there is nothing', ''],
])('what the parser reads as it is meant is handed on as it came: %s', (_what, table) => {
  for (const bytes of [1, 7, 1000]) expect(handedOn(table, { bytes })).toBe(table)
})

test.each([1, 2, 3, 5, 64, 1000])('chunks of %i bytes tell the same as all at once', (bytes) => {
  const table = `sep=\t\nid\ttitle\n1\t"Köln 🎬\r\n2\tb "c" d\n\n3\t"e\tf\n4\t"g\nh"\n5\t"i\n6\tj`
  const quoted = `sep=\t\nid\ttitle\n"1"\t"""Köln 🎬"\r\n2\tb "c" d\n\n3\t"e\tf\n4\t"g\nh"\n"5"\t"""i"\n6\tj`
  expect(handedOn(table, { bytes, headerLine: 2 })).toBe(quoted)
})

test.each([[3000], [50]])(
  'a cell of %i long lines is left to the parser, and what stands behind it is not',
  (length) => {
    const blanks = ' '.repeat(3e6 / length)
    const long = Array.from({ length }, (_, n) => `${n} ""${n}"" and${blanks}\n`).join('')
    const bare = '2\t"b\n3\tc\n'
    const read = '"2"\t"""b"\n3\tc\n'
    const cell = `${header}1\t"a\n${long}"\n`
    for (const bytes of [9999, 1 << 20]) expect(handedOn(cell + bare, { bytes })).toBe(cell + read)
  },
)

test('between tabs, a cell that nothing closes to the end of the file is none that is quoted', () => {
  expect(handedOn(`${header}1\t"a\nb\n3\tc\n`)).toBe(`${header}"1"\t"""a"\nb\n3\tc\n`)
})

describe.each([',', ';', '|'])('between %j', (delimiter) => {
  const written = (...rows: string[][]) => rows.map((row) => `${row.join(delimiter)}\n`).join('')
  const names = ['id', 'title', 'year']

  test.each([
    [
      'of rows alike',
      [
        ['1', `"a${delimiter}b`, `2"`],
        ['2', 'c', '3'],
      ],
    ],
    [
      'in the last cell',
      [
        ['1', 'a', '"b'],
        ['c', 'd', 'e"'],
        ['2', 'f', '3'],
      ],
    ],
    [
      'that quote within',
      [
        ['1', '"a', 'b'],
        ['c ""d"" e', 'f', 'g" '],
        ['2', 'h', '3'],
      ],
    ],
    [
      'whose quotes nobody doubled',
      [
        ['1', '"a'],
        ['said "b" c', '2'],
        ['2', 'h', '3'],
      ],
    ],
    [
      'that nothing closes',
      [
        ['1', '"a', '2'],
        ['2', 'b', '3'],
      ],
    ],
  ])('cells %s are left to the parser', (_which, rows) => {
    const table = written(names, ...rows)
    expect(handedOn(table, { delimiter, bytes: 5 })).toBe(table)
  })

  test('a quote that another row would close in the middle of a cell is a sign like any other', () => {
    const table = written(names, ['1', '"a', '2'], ['2', 'b', '3'], ['3', 'said "c" d', '4'])
    const read = written(names, ['"1"', '"""a"', '"2"'], ['2', 'b', '3'], ['3', 'said "c" d', '4'])
    for (const bytes of [1, 9, 1000]) expect(handedOn(table, { delimiter, bytes })).toBe(read)
  })
})
