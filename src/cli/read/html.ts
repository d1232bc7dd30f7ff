/** Marks within a line of text: all others end one. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q s samp small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
)
/** What stands within these is not shown. */
const UNSHOWN = new Set(['script', 'style', 'template'])

/**
 * The text that a browser would show of some HTML: without marks, with a line for each block, and with the characters that
 * entities stand for. Each look goes forward, so that no text takes long.
 */
export function htmlText(html: string): string {
  let text = ''
  let at = 0
  for (;;) {
    const open = html.indexOf('<', at)
    text += html.slice(at, open < 0 ? undefined : open).replace(/\s+/g, ' ')
    if (open < 0) return tidied(decoded(text))
    const { end, shows } = markAt(html, open)
    text += shows
    at = end
  }
}

/** Where a mark ends, and what stands for it; a `<` that begins none is a sign. */
function markAt(html: string, open: number): { end: number; shows: string } {
  if (html.startsWith('<!--', open)) return { end: behind(html, '-->', open + 4), shows: '' }
  if (/[!?]/.test(html[open + 1] ?? '')) return { end: behind(html, '>', open), shows: '' }
  const mark = /<(\/?)([a-zA-Z][^\s/>]*)/y
  mark.lastIndex = open
  const [whole, closes, written] = mark.exec(html) ?? []
  if (whole === undefined || written === undefined) return { end: open + 1, shows: '<' }
  const name = written.toLowerCase()
  const end = endOfMark(html, open + whole.length)
  if (closes === '' && UNSHOWN.has(name)) return { end: behindElement(html, name, end), shows: '' }
  if (name === 'td' || name === 'th') return { end, shows: ' ' }
  return { end, shows: INLINE.has(name) ? '' : '\n' }
}

/** Where a mark ends, given where its name does: a `>` in a value within quotes is none. */
function endOfMark(html: string, from: number): number {
  const sign = /[>"']/g
  for (let at = from; ; ) {
    sign.lastIndex = at
    const found = sign.exec(html)
    if (found === null) return html.length
    at = found.index + 1
    if (found[0] === '>') return at
    const before = html.slice(Math.max(from, found.index - 8), found.index)
    if (/=\s*$/.test(before)) at = behind(html, found[0], at)
  }
}

function behind(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at < 0 ? html.length : at + sign.length
}

function behindElement(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  return close.exec(html) === null ? html.length : behind(html, '>', close.lastIndex)
}

/** Names of the characters from U+00A0 to U+00FF. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute ' +
  'THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ' +
  'ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** Other characters with a name that texts have, each before its name. */
const OTHERS =
  '" quot & amp \' apos < lt > gt Œ OElig œ oelig Š Scaron š scaron Ÿ Yuml – ndash — mdash ‘ lsquo ’ rsquo ‚ sbquo “ ldquo ” rdquo ' +
  '„ bdquo • bull … hellip ‹ lsaquo › rsaquo € euro ™ trade ← larr → rarr − minus ≤ le ≥ ge ≠ ne ≈ asymp ∞ infin ′ prime ″ Prime'

const NAMED = namedCharacters()

function namedCharacters(): ReadonlyMap<string, string> {
  const latin = LATIN.split(' ').map(
    (name, nth) => [name, String.fromCharCode(0xa0 + nth)] as const,
  )
  const others = OTHERS.split(' ')
  const pairs = others.flatMap((sign, nth) =>
    nth % 2 === 0 ? [[others[nth + 1] ?? '', sign] as const] : [],
  )
  return new Map([...latin, ...pairs])
}

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,7}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : whole
    },
  )
}

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \u00a0]+/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}
