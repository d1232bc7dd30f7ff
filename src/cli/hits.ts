import { isObject } from '../object.ts'
import { beginningOf } from '../word.ts'
import { count } from './amounts.ts'
import { bold, dim, printable, type Terminal } from './terminal.ts'

export const SNIPPET_CHARACTERS = 240
// private-use characters: they come back from the server untouched and never stand in real text
const MARK_ON = '\ue000'
const MARK_OFF = '\ue001'

/** The highlights that a search must ask for so that `printHits` finds the words in them. */
export function markedPassage(fragmentSize: number): object {
  return { pre: MARK_ON, post: MARK_OFF, fragments: 1, fragmentSize }
}

export function withoutMarks(text: string): string {
  return text.replace(/[\ue000\ue001]/g, '')
}

/** Prints what a search answered; `tookMs` is the time that the whole call took. */
export function printHits(terminal: Terminal, data: Record<string, unknown>, tookMs: number): void {
  const hits = Array.isArray(data.hits) ? data.hits.filter(isObject) : []
  for (const [position, hit] of hits.entries()) printHit(terminal, position + 1, hit)
  const total = Number(data.total)
  const context = isObject(data.searchContext) ? data.searchContext : {}
  const missing = Array.isArray(context.degraded)
    ? `, without ${context.degraded.map(partText).join(', ')}`
    : ''
  const shown = hits.length < total ? `${hits.length} of ${count(total)}` : count(total)
  const took = `${tookMs.toFixed(1)} ms, of which the server ${data.took} ms`
  terminal.print(dim(terminal, `${shown} found by ${context.searchType}${missing} in ${took}`))
}

/** What could not run of a search; of indices it is not all. */
function partText(part: unknown): string {
  return part === 'indices' ? 'some indices' : String(part)
}

function printHit(terminal: Terminal, rank: number, hit: Record<string, unknown>): void {
  const source = isObject(hit.source) ? hit.source : {}
  const marked = isObject(hit.highlight) ? hit.highlight : {}
  const title = emphasised(terminal, marked.title) ?? oneLine(source.title)
  const score = Number(hit.score).toFixed(3)
  terminal.print(
    `${String(rank).padStart(2)}. ${title || oneLine(hit.id)}  ${dim(terminal, score)}`,
  )
  const passage =
    emphasised(terminal, marked.content) ??
    emphasised(terminal, marked.abstract) ??
    passageOf(terminal, source, marked)
  if (passage !== '') terminal.print(`    ${passage}`)
  const from = typeof source.source === 'string' ? oneLine(source.source) : oneLine(hit.id)
  terminal.print(`    ${dim(terminal, `${from} · ${oneLine(hit.index)}`)}\n`)
}

/** Where no words of the usual fields were found: their text, or what was found in a field of the index's own. */
function passageOf(
  terminal: Terminal,
  source: Record<string, unknown>,
  { title: _, ...marked }: Record<string, unknown>,
): string {
  const usual = source.content ?? source.abstract
  if (usual !== undefined) return shortened(oneLine(usual))
  for (const fragments of Object.values(marked)) {
    const found = emphasised(terminal, fragments)
    if (found !== undefined) return found
  }
  const texts = Object.entries(source).filter(([name]) => name !== 'title' && name !== 'source')
  const longest = texts.reduce(
    (most, [, value]) => (typeof value === 'string' && value.length > most.length ? value : most),
    '',
  )
  return shortened(oneLine(longest))
}

/** The first highlighted passage: HTML escapes undone, marks made bold where the terminal can. */
function emphasised(terminal: Terminal, fragments: unknown): string | undefined {
  const [first] = Array.isArray(fragments) ? fragments : []
  if (typeof first !== 'string' || !first.includes(MARK_ON)) return undefined
  const marked = oneLine(unescaped(first))
  return withoutMarks(
    marked.replace(/\ue000([^\ue001]*)\ue001/g, (_, word: string) => bold(terminal, word)),
  )
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }

function unescaped(html: string): string {
  return html.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|quot|amp));/gi, (_, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? ''
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}

/** What stands in an answer, on one line. */
export function oneLine(value: unknown): string {
  return value === undefined ? '' : printable(String(value)).replace(/\s+/g, ' ').trim()
}

function shortened(text: string): string {
  if (text.length <= SNIPPET_CHARACTERS) return text
  return `${beginningOf(text, SNIPPET_CHARACTERS).replace(/\s+\S*$/, '')} …`
}
