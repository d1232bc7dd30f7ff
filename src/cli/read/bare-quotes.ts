/** A line, and what ends it. */
interface Line {
  text: string
  end: string
}

/** A quoted cell is closed within so many lines; one that is not was no quoted cell. */
const LINES_MAX = 1000
const [TAB, QUOTE] = ['\t', '"']

/**
 * Quotes the cells of lines in which double quotes are signs like any others, and hands on all others as they are.
 *
 * Tables with tabs between cells, as databases export them, mostly quote nothing, and a title that begins with a double quote
 * would swallow all rows up to the next one. No such table has tabs within cells, and of those that do quote, as Excel's, few
 * have: a line with as many cells as the header is a row where by its quotes it would have others, or would go on in a line
 * that is a row, too.
 */
export function openBareQuotes(headerLine: number) {
  /** What is not handed on yet, in Latin-1, byte for byte: the signs that are looked for are those of ASCII. */
  let lines: Line[] = []
  let rest = ''
  let passed = 0
  let width = 0
  let isOff = false

  /** How the line at a place is handed on, and how many with it; undefined as long as what follows may tell. */
  function decide(at: number, isEnd: boolean): { count: number; isBare: boolean } | undefined {
    const { text = '' } = lines[at] ?? {}
    if (width < 2 || !text.includes(QUOTE)) return { count: 1, isBare: false }
    const { isOpen, cells } = scan(text)
    const isRow = cellsOf(text) === width
    if (!isOpen) return { count: 1, isBare: isRow && cells !== width }
    const others = lines.slice(at + 1, at + LINES_MAX)
    const next = others.find((line) => line.text !== '')
    if (isRow && next !== undefined && cellsOf(next.text) === width)
      return { count: 1, isBare: true }
    let goesOn = true
    const closing = others.findIndex((line) => {
      goesOn = scan(line.text, goesOn).isOpen
      return !goesOn
    })
    if (closing >= 0) return { count: closing + 2, isBare: false }
    return isEnd || others.length + 1 === LINES_MAX ? { count: 1, isBare: true } : undefined
  }
  function handOn(isEnd: boolean): Buffer {
    let out = ''
    let at = 0
    while (at < lines.length) {
      const decided = passed < headerLine ? { count: 1, isBare: false } : decide(at, isEnd)
      if (decided === undefined) break
      for (const { text, end } of lines.slice(at, at + decided.count)) {
        out += (decided.isBare ? quoted(text) : text) + end
        passed += 1
        if (passed === headerLine) width = widthOf(text)
      }
      at += decided.count
    }
    lines = lines.slice(at)
    return Buffer.from(out, 'latin1')
  }
  return {
    /** What can be handed on of the next bytes of a file. */
    take(chunk: Buffer): Buffer {
      // Lines that end with CR alone are left to the parser.
      isOff ||= passed === 0 && /^[^\n]*\r[^\n]/.test(rest + chunk.toString('latin1'))
      if (isOff) return Buffer.concat([flush(), chunk])
      const parts = (rest + chunk.toString('latin1')).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) lines.push(lineOf(part))
      return handOn(false)
    },
    end: (): Buffer => flush(),
  }

  function flush(): Buffer {
    if (rest !== '') lines.push({ text: rest, end: '' })
    rest = ''
    return handOn(true)
  }
}

function lineOf(part: string): Line {
  return part.endsWith('\r') ? { text: part.slice(0, -1), end: '\r\n' } : { text: part, end: '\n' }
}

/** How many cells rows have by the header; 0 where that goes on in the next line. */
function widthOf(header: string): number {
  const { isOpen, cells } = scan(header)
  return isOpen ? 0 : cells
}

function cellsOf(text: string): number {
  return text.split(TAB).length
}

function quoted(text: string): string {
  const cells = text.split(TAB).map((cell) => `"${cell.replaceAll(QUOTE, '""')}"`)
  return cells.join(TAB)
}

/** How many cells a line has by its quotes, and whether it ends within one; as the parser reads it, which may be in one before. */
function scan(text: string, isWithin = false): { isOpen: boolean; cells: number } {
  let isOpen = isWithin
  let isStart = !isWithin
  let cells = 1
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isOpen && sign === QUOTE) {
      if (text[at + 1] === QUOTE) at += 1
      else isOpen = false
    } else if (!isOpen && sign === TAB) {
      cells += 1
      isStart = true
    } else if (!isOpen && isStart && sign !== ' ') {
      isOpen = sign === QUOTE
      isStart = false
    }
  }
  return { isOpen, cells }
}
