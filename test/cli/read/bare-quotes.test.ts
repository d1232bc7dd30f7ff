import { expect, test } from 'vitest'
import { openBareQuotes } from '../../../src/cli/read/bare-quotes.ts'

/** What is handed on of a table, of which so many bytes come at a time. */
function handedOn(table: string, bytes = Number.MAX_SAFE_INTEGER, headerLine = 1): string {
  const all = Buffer.from(table)
  const quotes = openBareQuotes(headerLine)
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
  for (const bytes of [1, 7, 1000]) expect(handedOn(table, bytes)).toBe(table)
})

test.each([1, 2, 3, 5, 64, 1000])('chunks of %i bytes tell the same as all at once', (bytes) => {
  const table = `sep=\t\nid\ttitle\n1\t"Köln 🎬\r\n2\tb "c" d\n\n3\t"e\tf\n4\t"g\nh"\n5\t"i\n6\tj`
  const quoted = `sep=\t\nid\ttitle\n"1"\t"""Köln 🎬"\r\n2\tb "c" d\n\n3\t"e\tf\n4\t"g\nh"\n"5"\t"""i"\n6\tj`
  expect(handedOn(table, bytes, 2)).toBe(quoted)
})

test('a cell that nothing closes within a thousand lines is none that is quoted', () => {
  const rows = Array.from({ length: 3000 }, (_, n) => `${n}`).join('\n')
  expect(handedOn(`${header}1\t"a\n${rows}\n`, 4096)).toBe(`${header}"1"\t"""a"\n${rows}\n`)
  const closed = `${header}1\t"a\n${rows.slice(0, 3000)}"\n2\tb\n`
  expect(handedOn(closed, 4096)).toBe(closed)
})
