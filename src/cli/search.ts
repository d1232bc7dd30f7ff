import { isObject } from '../object.ts'
import { dataOf, openClient } from './client.ts'
import { plainValue } from './plain-value.ts'
import { count } from './progress.ts'
import { bold, commandError, dim, printable, type Terminal } from './terminal.ts'

const SNIPPET_CHARACTERS = 240
// private-use characters: they come back from the server untouched and never stand in real text
const MARK_ON = '\ue000'
const MARK_OFF = '\ue001'

export interface SearchOptions {
  url: string
  key?: string
  mode: string
  index?: string[]
  size: number
  filters: string[]
  json: boolean
}

/** One search; prints hits with rank, score, title, the best passage and where it comes from. */
export async function search(
  terminal: Terminal,
  query: string,
  options: SearchOptions,
): Promise<void> {
  const { url, key, mode, index, size, json } = options
  const client = openClient(url, key)
  const started = performance.now()
  const reply = await client.post('/cortex/search', {
    query,
    searchType: mode,
    size,
    ...(index && index.length > 0 && { index }),
    ...(options.filters.length > 0 && { filters: readFilters(options.filters) }),
    highlight: { pre: MARK_ON, post: MARK_OFF, fragments: 1, fragmentSize: SNIPPET_CHARACTERS },
  })
  const data = dataOf(reply, 'The search failed')
  if (json) terminal.print(JSON.stringify(data, undefined, 2).replace(/[\ue000\ue001]/g, ''))
  else {
    noteWarnings(terminal, data)
    printHits(terminal, data, performance.now() - started)
  }
}

/** What the search said in vain: a filter by a mistyped field finds nothing, and would not say why. */
function noteWarnings(terminal: Terminal, { searchContext }: Record<string, unknown>): void {
  const warnings = isObject(searchContext) ? searchContext.warnings : undefined
  if (Array.isArray(warnings)) for (const warning of warnings) terminal.note(plain(warning))
}

/** Prints what a search answered; `tookMs` is the time that the whole call took. */
export function printHits(terminal: Terminal, data: Record<string, unknown>, tookMs: number): void {
  const hits = Array.isArray(data.hits) ? data.hits.filter(isObject) : []
  for (const [position, hit] of hits.entries()) printHit(terminal, position + 1, hit)
  const total = Number(data.total)
  const context = isObject(data.searchContext) ? data.searchContext : {}
  const missing = Array.isArray(context.degraded) ? `, without ${context.degraded.join(', ')}` : ''
  const shown = hits.length < total ? `${hits.length} of ${count(total)}` : count(total)
  const took = `${tookMs.toFixed(1)} ms, of which the server ${data.took} ms`
  terminal.print(dim(terminal, `${shown} found by ${context.searchType}${missing} in ${took}`))
}

function printHit(terminal: Terminal, rank: number, hit: Record<string, unknown>): void {
  const source = isObject(hit.source) ? hit.source : {}
  const marked = isObject(hit.highlight) ? hit.highlight : {}
  const title = emphasised(terminal, marked.title) ?? plain(source.title)
  const score = Number(hit.score).toFixed(3)
  terminal.print(`${String(rank).padStart(2)}. ${title || plain(hit.id)}  ${dim(terminal, score)}`)
  const passage =
    emphasised(terminal, marked.content) ??
    emphasised(terminal, marked.abstract) ??
    passageOf(terminal, source, marked)
  if (passage !== '') terminal.print(`    ${passage}`)
  const from = typeof source.source === 'string' ? plain(source.source) : plain(hit.id)
  terminal.print(`    ${dim(terminal, `${from} · ${plain(hit.index)}`)}\n`)
}

/** Where no words of the usual fields were found: their text, or what was found in a field of the index's own. */
function passageOf(
  terminal: Terminal,
  source: Record<string, unknown>,
  { title: _, ...marked }: Record<string, unknown>,
): string {
  const usual = source.content ?? source.abstract
  if (usual !== undefined) return shortened(plain(usual))
  for (const fragments of Object.values(marked)) {
    const found = emphasised(terminal, fragments)
    if (found !== undefined) return found
  }
  const texts = Object.entries(source).filter(([name]) => name !== 'title' && name !== 'source')
  const longest = texts.reduce(
    (most, [, value]) => (typeof value === 'string' && value.length > most.length ? value : most),
    '',
  )
  return shortened(plain(longest))
}

/** The first highlighted passage: HTML escapes undone, marks made bold where the terminal can. */
function emphasised(terminal: Terminal, fragments: unknown): string | undefined {
  const [first] = Array.isArray(fragments) ? fragments : []
  if (typeof first !== 'string' || !first.includes(MARK_ON)) return undefined
  return plain(unescaped(first))
    .replace(/\ue000([^\ue001]*)\ue001/g, (_, word: string) => bold(terminal, word))
    .replace(/[\ue000\ue001]/g, '')
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }

function unescaped(html: string): string {
  return html.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|quot|amp));/gi, (_, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? ''
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}

function plain(value: unknown): string {
  return value === undefined ? '' : printable(String(value)).replace(/\s+/g, ' ').trim()
}

function shortened(text: string): string {
  if (text.length <= SNIPPET_CHARACTERS) return text
  return `${text.slice(0, SNIPPET_CHARACTERS).replace(/\s+\S*$/, '')} …`
}

const FILTER_FORMS = 'field=value, field!=value or field>=value'
const BOUNDS: Record<string, string> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' }

/**
 * Reads `field=value`, `field!=value`, `field>=value` and the like. The same field with = several
 * times is any of the values; everything else must hold together. A value that is plainly a number,
 * true or false is sent as such; in double quotes it stays text.
 */
export function readFilters(filters: readonly string[]): Record<string, unknown> {
  const equal = new Map<string, unknown[]>()
  const bounds: Record<string, unknown>[] = []
  for (const filter of filters) {
    const [, field, operator, text] = /^([^=<>!]+?)(!=|>=|<=|=|>|<)(.*)$/s.exec(filter) ?? []
    if (field === undefined || operator === undefined || text === undefined)
      throw commandError(`--filter must read ${FILTER_FORMS}, not "${filter}".`)
    if (/^[=<>]/.test(text))
      throw commandError(
        `--filter "${filter}" has two signs, but must read ${FILTER_FORMS}; ` +
          'a value that begins with a sign stands in double quotes.',
      )
    const value = filterValue(text)
    if (operator === '=') equal.set(field, [...(equal.get(field) ?? []), value])
    else if (operator === '!=') bounds.push({ [field]: { not: value } })
    else bounds.push({ [field]: { [BOUNDS[operator] ?? '']: value } })
  }
  const any = [...equal].map(([field, values]) => ({ [field]: values }))
  return { and: [...any, ...bounds] }
}

function filterValue(text: string): string | number | boolean {
  const quoted = /^"(.*)"$/s.exec(text)
  if (quoted !== null) return quoted[1] ?? ''
  return plainValue(text)
}
