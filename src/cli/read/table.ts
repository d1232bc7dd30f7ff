import { type CsvError, parse } from 'csv-parse'
import { plainValue } from '../plain-value.ts'
import { openBareQuotes } from './bare-quotes.ts'
import {
  type FilePlace,
  type FoundDocument,
  type Mapping,
  rowToFound,
  type Unreadable,
} from './record.ts'
import { typedCell } from './typed-cell.ts'
import { openUtf8Check } from './utf8.ts'

/** Cells by the place and the name of their column: several may have one name. */
type Row = Record<string, string>

/**
 * A table with a header row, separated by comma, semicolon or tab, whichever the header has most of outside of
 * its quoted names, by bars where it has none of them, or by what a line `sep=` before it says. Empty cells are left out. Cells become what the mapping of
 * their index takes; where it has no field for them, those that are plainly numbers, true or false become such values unless
 * `keepStrings`, or where they are an id. authors and tags are split at semicolons and bars. Columns of one name make a
 * list. A double quote that would swallow rows is a sign like any other.
 */
export async function* readTable(
  input: AsyncIterable<Buffer>,
  file: string,
  mapping: Mapping,
  keepStrings: boolean,
): AsyncGenerator<FoundDocument | Unreadable> {
  const chunks = input[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const places: FilePlace[] = []
  const refused: Unreadable[] = []
  const lines = openLineCount(file)
  const { delimiter, headerLine } = separation(String(first.value))
  const parser = parse<Row>({
    columns: (names: string[]) => names.map((name, place) => `${place} ${cleaned(name)}`),
    bom: true,
    delimiter,
    from_line: headerLine,
    // With blanks behind quotes left out as well, the parser drops all that follows a quoted word which begins a cell.
    ltrim: true,
    // inches, and tables of those who quote nothing
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_record: (row, { lines: counted }) => {
      places.push(lines.placeOf(row, counted))
      return row
    },
    on_skip: (error) => {
      const place = lines.placeOfRefused(error)
      // one row may have many mistakes
      if (refused.at(-1)?.line !== place.line) refused.push({ ...place, reason: reasonOf(error) })
      return undefined
    },
  })
  const bare = openBareQuotes(headerLine, delimiter)
  const feeding = feed(first.value as Buffer, chunks, { parser, bare })
  for await (const row of parser) {
    const place = places.shift() ?? { file, line: 0 }
    while (refused[0] !== undefined && refused[0].line < place.line) yield* refused.splice(0, 1)
    yield rowToFound(cells(row, keepStrings, mapping), place, mapping)
  }
  yield* refused.splice(0)
  await feeding
}

/** Lines as editors count them: the parser takes CR and LF inside of a cell for two. */
function openLineCount(file: string) {
  let tooMany = 0
  let last = 1
  const end = (cells: readonly string[], counted: number) => {
    for (const cell of cells) tooMany += cell.split('\r\n').length - 1
    last = counted - tooMany
    return last
  }
  return {
    placeOf: (row: Row, counted: number): FilePlace => ({
      file,
      line: end(Object.values(row), counted),
      position: counted,
    }),
    placeOfRefused: (error: CsvError | undefined): FilePlace => {
      // what is never closed goes on to the end of the file: where it begins is the place to look at
      if (error?.code === 'CSV_QUOTE_NOT_CLOSED') return { file, line: last + 1 }
      return { file, line: end(recordOf(error) ?? [], Number(error?.lines ?? 0)) }
    },
  }
}

function recordOf(error: CsvError | undefined): string[] | undefined {
  return Array.isArray(error?.record) ? error.record : undefined
}

function reasonOf(error: CsvError | undefined): string {
  if (error?.code === 'CSV_QUOTE_NOT_CLOSED')
    return 'opens a cell with a double quote that nothing closes; no row behind it is loaded'
  const cells = recordOf(error)
  if (error?.code !== 'CSV_RECORD_INCONSISTENT_COLUMNS' || cells === undefined)
    return error?.message ?? 'is not a row of this table'
  const names = Array.isArray(error.columns) ? error.columns.length : 'others'
  return `has ${cells.length} cells where the header names ${names}; a cell with the separator in it stands in double quotes`
}

interface Feeding {
  parser: ReturnType<typeof parse>
  bare: ReturnType<typeof openBareQuotes>
}

/** Passes chunks on no faster than the parser takes them; a failure of the file reaches the reader. */
async function feed(
  first: Buffer,
  chunks: AsyncIterator<Buffer>,
  { parser, bare }: Feeding,
): Promise<void> {
  const check = openUtf8Check()
  try {
    for (let chunk = first; ; ) {
      check.take(chunk)
      if (!parser.write(bare.take(chunk)))
        await new Promise((drained) => parser.once('drain', drained))
      const next = await chunks.next()
      if (next.done === true) break
      chunk = next.value
    }
    check.end()
    parser.end(bare.end())
  } catch (error) {
    parser.destroy(error as Error)
  }
}

/** A name in quotes, where a cell may begin: signs within it part nothing. */
const QUOTED_NAME = /(^|[,;\t|])[ \uFEFF]*"(?:[^"]|"")*"/g

/** With such a line Excel is told what separates cells, and some programs write one. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=([^\r\n"])"?[ ,;\t]*(?:\r?\n|\r)/i

/** What separates cells, and in which line the header stands. */
function separation(text: string): { delimiter: string; headerLine: number } {
  const told = SEPARATOR_LINE.exec(text)?.[1]
  return told === undefined
    ? { delimiter: delimiterOf(text), headerLine: 1 }
    : { delimiter: told, headerLine: 2 }
}

function delimiterOf(text: string): string {
  const header = text.replace(QUOTED_NAME, '$1').split(/[\r\n]/, 1)[0] ?? ''
  const count = (delimiter: string) => header.split(delimiter).length
  // Names have commas and semicolons rather than tabs, and bars where nothing else parts them.
  const best = [',', ';'].reduce((best, other) => (count(other) > count(best) ? other : best), '\t')
  return count(best) === 1 && count('|') > 1 ? '|' : best
}

const TEXT = new Set(['title', 'content', 'abstract', 'source', 'text', 'id', '_id'])

/** What databases write where there is no value, and would otherwise be one (`COPY` of PostgreSQL, MySQL, Hive). */
const NO_VALUE = '\\N'

function cells(row: Row, keepStrings: boolean, mapping: Mapping) {
  const fields: Record<string, unknown> = {}
  for (const [column, sent] of Object.entries(row)) {
    const cell = cleaned(sent)
    if (cell === '' || cell === NO_VALUE) continue
    const name = column.slice(column.indexOf(' ') + 1)
    const value = cellAs(cell, name, keepStrings, mapping)
    fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value
  }
  return fields
}

function cellAs(
  cell: string,
  name: string,
  keepStrings: boolean,
  { idField, rename, types }: Mapping,
): unknown {
  // "1.10" as a number would be the id of "1.1", too.
  if (name === idField) return cell
  const target = rename.get(name) ?? name
  if (target === 'authors' || target === 'tags') return partsOf(cell)
  const type = types?.get(target)
  if (type !== undefined) return typedCell(cell, type)
  return keepStrings || TEXT.has(target) ? cell : plainValue(cell)
}

/** Blanks around a cell are no part of it, nor are the quotes around one with blanks behind them. */
function cleaned(cell: string): string {
  return cell.replace(/^"([^"]*)"\s+$/, '$1').trim()
}

function partsOf(cell: string): string[] {
  return cell
    .split(/[;|]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
