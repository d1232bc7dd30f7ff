/** One section of a Markdown file: the headings that lead to it, and its text. */
export interface Section {
  /** Headings from the outermost to this one, joined by " › "; the file's own name where there is none. */
  title: string
  /** The same headings; none before the first of them. */
  headings: string[]
  text: string
  /** 1-based line of the heading, or of the text where no heading stands before it. */
  line: number
}

/** Longer lines are text, whatever they begin with. */
const HEADING_CHARACTERS_MAX = 1000

interface Open {
  level: number
  title: string
  line: number
  lines: string[]
}

/**
 * Splits Markdown into its sections (CommonMark ATX and setext headings; fenced code is left alone).
 * Sections without text of their own are left out; their headings stand in the titles below them.
 */
export function markdownSections(markdown: string, name: string): Section[] {
  const { body, title, firstLine } = withoutFrontMatter(markdown)
  const sections: Section[] = []
  const path: { level: number; title: string }[] = []
  let open: Open = { level: 0, title: '', line: firstLine, lines: [] }
  const close = () => {
    const text = plainText(open.lines.join('\n'))
    const headings = path.map((heading) => heading.title)
    const { line } = open
    if (text !== '')
      sections.push({ title: headings.join(' › ') || title || name, headings, text, line })
  }
  for (const item of headingsAndLines(body, firstLine)) {
    if (item.level === 0) {
      open.lines.push(item.text)
      continue
    }
    close()
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= item.level) path.pop()
    const heading = plainText(item.text)
    if (heading !== '') path.push({ level: item.level, title: heading })
    open = { level: item.level, title: heading, line: item.line, lines: [] }
  }
  close()
  return sections
}

interface Item {
  /** 1–6 for a heading, 0 for a line of text. */
  level: number
  text: string
  line: number
}

function headingsAndLines(body: string, firstLine: number): Item[] {
  const items: Item[] = []
  let fence: string | undefined
  for (const [position, text] of body.split(/\r?\n/).entries()) {
    const line = firstLine + position
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (marker?.startsWith(fence) && text.trim() === marker) fence = undefined
      items.push({ level: 0, text, line })
      continue
    }
    fence = marker
    if (text.length > HEADING_CHARACTERS_MAX) {
      items.push({ level: 0, text, line })
      continue
    }
    const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(text)
    const setext = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(text)?.[1]
    const above = items.at(-1)
    if (atx?.[1] !== undefined) items.push({ level: atx[1].length, text: atx[2] ?? '', line })
    else if (setext !== undefined && above !== undefined && isParagraph(above, items.at(-2)))
      items[items.length - 1] = { ...above, level: setext.startsWith('=') ? 1 : 2 }
    else items.push({ level: 0, text, line })
  }
  return items
}

/** Only a one-line paragraph becomes a setext heading: a rule below a list or a table is no heading. */
function isParagraph(line: Item, before: Item | undefined): boolean {
  const alone = before === undefined || before.level > 0 || before.text.trim() === ''
  return alone && line.level === 0 && /^ {0,3}[^\s>|*+\-\d`~<]/.test(line.text)
}

/** Reads the title of YAML front matter and takes the block away; anything else in it is left unread. */
function withoutFrontMatter(markdown: string) {
  const text = markdown.replace(/^\uFEFF/, '')
  const block = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (block === null || !namesSomething(block[1] ?? ''))
    return { body: text, title: '', firstLine: 1 }
  const title = /^title:[ \t]*(['"]?)(.+?)\1[ \t]*$/m.exec(block[1] ?? '')?.[2] ?? ''
  const firstLine = block[0].split('\n').length
  return { body: text.slice(block[0].length), title, firstLine }
}

/** Front matter begins with a name and a colon; between two rules there may be text as well. */
function namesSomething(block: string): boolean {
  const first = block.split('\n').find((line) => /^\s*[^\s#]/.test(line))
  return first === undefined || /^[^\s:][^:]*:(?:\s|$)/.test(first)
}

/** Takes the marks of Markdown and HTML away and keeps the words; code keeps its own text. */
function plainText(markdown: string): string {
  return markdown
    .split(/(^ {0,3}(?:`{3,}|~{3,})[^\n]*$)/m)
    .map((part, position) => (position % 4 === 2 ? part : withoutMarks(part)))
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Where a link leads, with no more than a title behind it; what goes on, and a footnote, is text. */
const REFERENCE =
  /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S+(?:[ \t]+(?:"[^\n]*"|'[^\n]*'|\([^\n]*\)))?[ \t]*$/gm

// each pattern looks ahead a bounded way or up to its own opening mark, so that no text takes long
function withoutMarks(markdown: string): string {
  const { text, code } = codeApart(markdown.replace(/^ {0,3}(?:`{3,}|~{3,})[^\n]*$/gm, ''))
  return text
    .replace(REFERENCE, '')
    .replace(/!\[[^[\]\n]*\](?:\([^()\n]*\)|\[[^[\]\n]*\])/g, '')
    .replace(/\[([^[\]\n]*)\](?:\([^()\n]*\)|\[[^[\]\n]*\])/g, '$1')
    .replace(/<(https?:\/\/[^>\s]+)>/g, '$1')
    .replace(/<\/?[A-Za-z][^<>\n]*>/g, '')
    .replace(/(\*\*|__)(?=\S)([^\n]{0,200}?\S)\1/g, '$2')
    .replace(/^ {0,3}>[ \t]?/gm, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/\0(\d+)\0/g, (_, at) => code[Number(at)] ?? '')
}

/** A comment begins, or there is a span of code: it ends with as many backticks as it begins with, in the same line. */
const COMMENT_OR_CODE = /<!--|(?<![\\`])(`{1,4})(?!`)([^\n]*?[^`\n])\1(?!`)/g

/**
 * The text without comments, and with a place for each span of code: what looks like a mark in there is none. A place has
 * a character around its number that Markdown does not know.
 */
function codeApart(markdown: string): { text: string; code: string[] } {
  const source = markdown.replaceAll('\0', '\ufffd')
  const code: string[] = []
  let text = ''
  let at = 0
  let areClosed = true
  for (;;) {
    COMMENT_OR_CODE.lastIndex = at
    const found = COMMENT_OR_CODE.exec(source)
    if (found === null) return { text: text + source.slice(at), code }
    const [whole, , span] = found
    const behind = found.index + whole.length
    text += source.slice(at, found.index)
    at = behind
    if (span !== undefined) {
      code.push(withoutPadding(span))
      text += `\0${code.length - 1}\0`
      continue
    }
    const end: number = areClosed ? source.indexOf('-->', behind - 2) : -1
    areClosed = end !== -1
    if (areClosed) at = end + 3
    else text += whole
  }
}

/** A blank on either side is there to keep backticks apart. */
function withoutPadding(span: string): string {
  return span.startsWith(' ') && span.endsWith(' ') && span.trim() !== '' ? span.slice(1, -1) : span
}
