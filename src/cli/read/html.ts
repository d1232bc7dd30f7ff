import { Parser } from 'htmlparser2'

/** Marks within a line of text: all others end one. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q s samp small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
)
const CELLS = new Set(['td', 'th'])
/** What stands within these is not shown. */
const UNSHOWN = new Set(['script', 'style', 'template'])

/**
 * The text that a browser would show of some HTML: without marks, with a line for each block, and with the characters that
 * entities stand for.
 */
export function htmlText(html: string): string {
  let text = ''
  let unshown = 0
  const parser = new Parser({
    onopentagname: (name) => {
      if (UNSHOWN.has(name)) unshown += 1
      text += gapOf(name)
    },
    ontext: (words) => {
      if (unshown === 0) text += words.replace(/\s+/g, ' ')
    },
    onclosetag: (name) => {
      if (UNSHOWN.has(name)) unshown -= 1
      text += gapOf(name)
    },
  })
  parser.end(html)
  return tidied(text)
}

/** What a mark leaves between the words around it. */
function gapOf(name: string): string {
  if (CELLS.has(name)) return ' '
  return INLINE.has(name) || UNSHOWN.has(name) ? '' : '\n'
}

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/ +/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}
