/** A line, and what ends it. */
interface Line {
  text: string
  end: string
}

/** How so many lines are handed on: with their cells quoted, or as they came. */
interface Decided {
  count: number
  isBare: boolean
}

/** So much is looked at for what closes a cell. One that has more, as a long text, is left to the parser. */
const LINES_MAX = 1000
const CHARACTERS_MAX = 1 << 20
const QUOTE = '"'

/**
 * Quotes the cells of lines in which double quotes are signs like any others, and hands on all others as they are: a title
 * that begins with one would swallow all rows up to the next one.
 *
 * Tables with tabs between cells, as databases export them, mostly quote nothing. No such table has tabs within cells, and of
 * those that do quote, as Excel's, few have: a line with as many cells as the header is a row where by its quotes it
 * would have others, or would go on in a line that is a row, too. Elsewhere quoted cells may look like rows. There such a line is one
 * where another line has the sign that would close its cell in the middle of a cell, as nobody writes it who quotes.
 */
export function openBareQuotes(headerLine: number, delimiter: string) {
  /** What is not handed on yet, in Latin-1, byte for byte: the signs that are looked for are those of ASCII. */
  let lines: Line[] = []
  let rest = ''
  let passed = 0
  let width = 0
  /** The parser is in a cell of more lines. */
  let isWithin = false
  let isOff = delimiter.charCodeAt(0) > 127
  const isTabbed = delimiter === '\t'
  const scan = (text: string, goesOn = false) => scanLine(text, delimiter, goesOn)
  const cellsOf = (text: string) => text.split(delimiter).length

  /** How the line at a place is handed on, and how many with it; undefined as long as what follows may tell. */
  function decide(at: number, isEnd: boolean): Decided | undefined {
    const { text = '' } = lines[at] ?? {}
    if (isWithin) {
      isWithin = scan(text, isWithin).isOpen
      return { count: 1, isBare: false }
    }
    if (width < 2 || !text.includes(QUOTE)) return { count: 1, isBare: false }
    const { isOpen, cells } = scan(text)
    const isRow = cellsOf(text) === width
    if (!isOpen) return { count: 1, isBare: isTabbed && isRow && cells !== width }
    const others = lines.slice(at + 1, at + LINES_MAX)
    const next = others.find((line) => line.text !== '')
    if (isTabbed && isRow && next !== undefined && cellsOf(next.text) === width)
      return { count: 1, isBare: true }
    const closed = closingIn(others, delimiter)
    if (closed !== undefined)
      return closed.isClean || !isRow ? { count: closed.at + 2, isBare: false } : BARE
    isWithin = others.length + 1 === LINES_MAX || lengthOf(others) > CHARACTERS_MAX
    if (!isEnd && !isWithin) return undefined
    return isTabbed && !isWithin ? BARE : { count: others.length + 1, isBare: false }
  }
  function handOn(isEnd: boolean): Buffer {
    let out = ''
    let at = 0
    while (at < lines.length) {
      const decided = passed < headerLine ? { count: 1, isBare: false } : decide(at, isEnd)
      if (decided === undefined) break
      for (const { text, end } of lines.slice(at, at + decided.count)) {
        out += (decided.isBare ? quoted(text, delimiter) : text) + end
        passed += 1
        if (passed === headerLine) width = widthOf(scan(text))
      }
      at += decided.count
    }
    lines = lines.slice(at)
    return Buffer.from(out, 'latin1')
  }
  function flush(): Buffer {
    if (rest !== '') lines.push({ text: rest, end: '' })
    rest = ''
    return handOn(true)
  }
  return {
    /** What can be handed on of the next bytes of a file. */
    take(chunk: Buffer): Buffer {
      // Lines that end with CR alone are left to the parser.
      const text = chunk.toString('latin1')
      isOff ||= passed === 0 && /^[^\n]*\r[^\n]/.test(rest.slice(-1) + text)
      if (isOff) return Buffer.concat([flush(), chunk])
      const [first = '', ...parts] = text.split('\n')
      // Not split again: a line may have many megabytes.
      rest += first
      for (const part of parts) {
        lines.push(lineOf(rest))
        rest = part
      }
      return handOn(false)
    },
    end: flush,
  }
}

const BARE: Decided = { count: 1, isBare: true }

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

function lineOf(part: string): Line {
  return part.endsWith('\r') ? { text: part.slice(0, -1), end: '\r\n' } : { text: part, end: '\n' }
}

/** How many cells rows have by the header; 0 where that goes on in the next line. */
function widthOf({ isOpen, cells }: Scanned): number {
  return isOpen ? 0 : cells
}

function quoted(text: string, delimiter: string): string {
  const cells = text.split(delimiter).map((cell) => `"${cell.replaceAll(QUOTE, '""')}"`)
  return cells.join(delimiter)
}

/** Which of these lines ends outside of a cell that was open before them, and whether each cell is closed at its end. */
function closingIn(
  others: readonly Line[],
  delimiter: string,
): { at: number; isClean: boolean } | undefined {
  let isClean = true
  for (const [at, { text }] of others.entries()) {
    const scanned = scanLine(text, delimiter, true)
    isClean &&= scanned.isClean
    if (!scanned.isOpen) return { at, isClean }
  }
  return undefined
}

interface Scanned {
  /** It ends within a quoted cell. */
  isOpen: boolean
  /** Behind each quote that closes a cell the cell is over. */
  isClean: boolean
  cells: number
}

/** A line by its quotes, as the parser reads it, which may be in a cell of a line before. */
function scanLine(text: string, delimiter: string, isWithin: boolean): Scanned {
  let isOpen = isWithin
  let isStart = !isWithin
  let isClean = true
  let cells = 1
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isOpen && sign === QUOTE) {
      const next = text[at + 1]
      if (next === QUOTE) at += 1
      else isOpen = false
      isClean &&= isOpen || next === undefined || next === delimiter || next === ' '
    } else if (!isOpen && sign === delimiter) {
      cells += 1
      isStart = true
    } else if (!isOpen && isStart && sign !== ' ') {
      isOpen = sign === QUOTE
      isStart = false
    }
  }
  return { isOpen, isClean, cells }
}
