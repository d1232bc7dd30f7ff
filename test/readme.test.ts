import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../src/api/index.ts'
import { runCommand } from '../src/cli/program.ts'
import { READABLE } from '../src/cli/read/files.ts'
import type { Route } from '../src/http/route.ts'
import { WATCHED_METRICS } from '../src/learn/adaptations/figures.ts'
import { ACTIONS } from '../src/learn/feedback/actions.ts'
import { ENTRIES_MAX } from '../src/learn/memory/click-memory-lessons.ts'
import { MATCHING } from '../src/learn/plan/tuning-matching.ts'
import { METRIC_NAMES } from '../src/learn/wire/metric-names.ts'
import { RULE_OPERATORS } from '../src/learn/wire/operators.ts'
import { Adaptation } from '../src/schema/adaptation.ts'
import { BULK_OPS } from '../src/schema/bulk-ops.ts'
import { QUERY_CHARACTERS_MAX } from '../src/schema/common.ts'
import { COUNTED_METRICS } from '../src/schema/experiment-metrics.ts'
import { Guardrails, TargetingRules } from '../src/schema/experiment-rules.ts'
import { FACETS_MAX, Facet } from '../src/schema/facet.ts'
import { RULE_FIELDS } from '../src/schema/rule-fields.ts'
import { HighlightOptions, SearchRequest } from '../src/schema/search.ts'
import { FUSIONS, FUZZINESSES, SEARCH_TYPES, TUNING_SHAPES } from '../src/schema/tuning.ts'
import { LANGUAGES } from '../src/search/indices/languages.ts'
import { readFilters } from '../src/search/query/filter.ts'
import { SETTINGS } from '../src/settings.ts'
import { plainWord } from '../src/word.ts'
import { openRecorder } from './cli/recorder.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readme = read('README.md')
const learning = read('docs/learning.md')
const searching = read('docs/searching.md')
const chapters = readdirSync(join(root, 'docs')).map((name) => read(`docs/${name}`))
const README_LINES_MAX = 450
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

function settingRow(setting: (typeof SETTINGS)[keyof typeof SETTINGS]): string {
  const { env, kind, fallback, about } = setting
  const words = 'fallbackAbout' in setting ? setting.fallbackAbout : undefined
  const byDefault = words ?? (fallback === '' ? 'empty' : `\`${fallback}\``)
  const bounds = 'min' in setting ? `${setting.min}–${setting.max}` : kind
  const takes = typeof bounds === 'object' ? bounds.oneOf.join(' · ') : bounds
  return `| \`${env}\` | ${byDefault} | ${takes} | ${about} |`
}

test('the settings table is the settings of the server', () => {
  const rows = Object.values(SETTINGS).map(settingRow)
  const table = ['| variable | default | takes | |', '|---|---|---|---|', ...rows].join('\n')
  const [, shown] = /\n(\| variable[\s\S]*?)\n(?:\n|$)/.exec(read('docs/settings.md')) ?? []
  expect(shown, 'the table of docs/settings.md').toBe(table)
})

test('examples have words of closed lists as the API document has them, which types made of it are strict about', () => {
  const lists = { fuzziness: FUZZINESSES, searchType: SEARCH_TYPES }
  const texts = [readme, ...chapters.map(withoutForeignColumns)]
  const shown = texts.flatMap((text) => [...text.matchAll(/"(\w+)": "(\w+)"/g)])
  for (const [name, words] of Object.entries(lists)) {
    const sent = shown.filter(([, key]) => key === name).map(([, , word]) => word)
    expect(sent.length, name).toBeGreaterThan(0)
    expect(words, name).toEqual(expect.arrayContaining(sent))
  }
})

/** Without what a table shows of other servers: the columns before the one that is called `here`. */
function withoutForeignColumns(text: string): string {
  return text.replaceAll(/^\| .*? \| (?=[^|]* \|$)/gm, '')
}

test('the fields of rules of learning are told by their chapter and by the API document', () => {
  const [, table = ''] = /\| rules \| fields \| \|\n([\s\S]*?)\n\n/.exec(learning) ?? []
  const rows = table.split('\n').slice(1)
  const told = rows.map((row) => row.split('|').slice(1, 3).map(wordsIn))
  expect(Object.fromEntries(told)).toEqual(RULE_FIELDS)
  const { rollbackTriggers, acceptanceThresholds } = Adaptation.properties
  const shapes = {
    guardrails: Guardrails,
    targetingRules: TargetingRules,
    rollbackTriggers,
    acceptanceThresholds,
  }
  for (const [rules, shape] of Object.entries(shapes)) {
    const { description = '' } = shape as { description?: string }
    for (const field of RULE_FIELDS[rules as keyof typeof RULE_FIELDS])
      expect(description, rules).toMatch(new RegExp(`\\b${field}\\b`))
  }
})

test('README names every setting once, beside what it is about, in the order of all tables', () => {
  const [, table = ''] = /\| about \| settings \|\n([\s\S]*?)\n\n/.exec(readme) ?? []
  const names = Object.values(SETTINGS).map(({ env }) => env)
  expect(wordsIn(table), 'the settings in README').toEqual(names)
})

function routeRow({ method, path, root, aliases = [], summary }: Route): string {
  const names = aliases.map((alias) => `\`${alias}\``)
  const also = root === true ? ['at the root', ...names] : names
  const elsewhere = also.length === 0 ? '' : ` (also ${also.join(', ')})`
  return `| ${method} | \`${path}\` | ${summary}${elsewhere} |`
}

test('the route table is the routes of the server, in their order', () => {
  const table = ['| method | path | |', '|---|---|---|', ...routes.map(routeRow)].join('\n')
  const [, shown] = /\n(\| method[\s\S]*?)\n\n/.exec(read('docs/routes.md')) ?? []
  expect(shown, 'the table of docs/routes.md').toBe(table)
})

test('the length of a query is the one that is read', () => {
  expect(searching).toContain(`| \`query\` | up to ${QUERY_CHARACTERS_MAX} characters; `)
})

test('the bounds of facets are those that are checked', () => {
  const { maximum } = Facet.properties.size as { maximum?: number }
  const { maxItems } = Facet.properties.ranges as { maxItems?: number }
  const row = searching.split('\n').find((line) => line.startsWith('| `facets` |'))
  expect(row).toContain(`${FACETS_MAX} fields at most`)
  expect(row).toContain(`up to ${maximum})`)
  expect(row).toContain(`up to ${maxItems} \`ranges\``)
})

test('each script that is named exists', () => {
  const told = [readme, ...chapters].join('\n')
  const named = [...told.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(scripts, String(name)).toHaveProperty([String(name)])
})

test('each command of attune stands in README or a chapter, and its help has an example', async () => {
  const helpOf = async (...command: string[]) => {
    const terminal = openRecorder()
    await runCommand(terminal, [...command, '--help'])
    return terminal.out.join('\n')
  }
  const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(await helpOf()) ?? []
  const listed = [...list.matchAll(/^ {2}(\w\S*)/gm)].map(([, name]) => String(name))
  const commands = listed.filter((name) => name !== 'help')
  expect(commands).toContain('load')
  const told = [readme, ...chapters].join('\n')
  const isTold = (name: string) => new RegExp(`\\b(attune|attune --|npm run) ${name}\\b`).test(told)
  expect(commands.filter((name) => !isTold(name))).toEqual([])
  for (const name of commands) expect(await helpOf(name)).toContain(`$ attune ${name}`)
})

test('every field of a search stands in the chapter that tells of searching', () => {
  const missing = Object.keys(SearchRequest.properties).filter(
    (name) => !searching.includes(`\`${name}\``),
  )
  expect(missing).toEqual([])
})

test('the fields of a search that README shows are fields of a search', () => {
  const [, table = ''] = /## Searching[\s\S]*?\| field \| \|\n([\s\S]*?)\n\n/.exec(readme) ?? []
  const shown = table.split('\n').flatMap((row) => wordsIn(row.split('|')[1] ?? ''))
  expect(shown).toContain('query')
  expect(shown.filter((name) => !(name in SearchRequest.properties))).toEqual([])
})

test('the figures that README shows stand in the chapter of figures', () => {
  const [, table = ''] = /## Figures[\s\S]*?\n\|---\|---\|---\|\n([\s\S]*?)\n\n/.exec(readme) ?? []
  const figuresIn = (text: string) => text.match(/\d*\.?\d+(?: \d{3})*/g) ?? []
  const shown = table.split('\n').flatMap((row) => figuresIn(row.split('|')[3] ?? ''))
  const known = new Set(figuresIn(read('docs/figures.md')))
  expect(shown.length).toBeGreaterThan(10)
  expect(shown.filter((figure) => !known.has(figure))).toEqual([])
})

test('README can be read in ten minutes', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(README_LINES_MAX)
})

test('every part of a filter stands in its row, and in what OpenAPI tells of it', () => {
  const known =
    refusedFilter()
      .match(/known are ([\w, ]+);/)?.[1]
      ?.split(', ') ?? []
  const [row = ''] = /^\| `filters` \|.*$/m.exec(searching) ?? []
  const described = JSON.stringify(SearchRequest.properties.filters)
  expect(known).toContain('exists')
  const lacks = (text: string) => known.filter((word) => !new RegExp(`\\b${word}\\b`).test(text))
  expect(lacks(row), 'parts that the row `filters` of docs/searching.md does not name').toEqual([])
  expect(lacks(described), 'parts that `filters` in schema/search.ts does not name').toEqual([])
})

test('every way to fuse stands in its row, and in what OpenAPI tells of it', () => {
  const [row = ''] = /^\| `fusion` \|.*$/m.exec(searching) ?? []
  const [change = ''] = /fusion: [^.]*/.exec(TUNING_SHAPES) ?? []
  const described = SearchRequest.properties.fusion
  for (const text of [row, change, JSON.stringify(described)])
    expect(FUSIONS.filter((word) => !text.includes(word))).toEqual([])
})

test.each([
  ['highlight', HighlightOptions],
  ['facets', Facet],
])('every option of `%s` stands in its row', (field, { properties }) => {
  const row = searching.split('\n').find((line) => line.startsWith(`| \`${field}\` |`)) ?? ''
  const names = Object.keys(properties)
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(row))).toEqual([])
})

/** The sentence that names what a condition may hold. */
function refusedFilter(): string {
  try {
    readFilters({ year: { about: 3 } })
  } catch (error) {
    return String(error)
  }
  return ''
}

/** Without their points, and without that of packed ones. */
const readable = [...READABLE.replace(/,.*/, '').matchAll(/\.(\w+)/g)].map(([, ending]) =>
  String(ending),
)

test.each([
  [
    'setting of a change',
    Object.keys(MATCHING),
    'docs/learning.md',
    /\| setting \| holds \|\n([\s\S]*?)\n\n/,
  ],
  ['`op` of a bulk', BULK_OPS, 'docs/documents.md', /\| `op` \| \|\n([\s\S]*?)\n\n/],
  [
    'ending of a file that is loaded',
    readable,
    'docs/loading.md',
    /\| kind \| becomes \|\n([\s\S]*?)\n\n/,
  ],
  ['language', LANGUAGES, 'docs/indices.md', /^\| `language` \|(.*)$/m],
] as const)('every %s stands in its table', (what, names: readonly string[], chapter, table) => {
  const [, shown = ''] = table.exec(read(chapter)) ?? []
  const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(shown))
  expect(missing, `what the table of each ${what} in ${chapter} lacks`).toEqual([])
})

test('every setting of a change stands in what OpenAPI tells of them', () => {
  const told = (name: string) => new RegExp(`\\b${name}\\b`).test(TUNING_SHAPES)
  expect(Object.keys(MATCHING).filter((name) => !told(name))).toEqual([])
})

test('the number of entries that flags a session is the one that does', () => {
  expect(learning).toContain(`more than ${ENTRIES_MAX} entries about one document`)
})

test('the table of gains has every action that says something, with its gain', () => {
  const [, table = ''] = /\| action \| gain \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(learning) ?? []
  const shown = table.split('\n').flatMap((row) => {
    const [, names = '', gain = ''] = row.split('|')
    return [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, Number.parseFloat(gain)])
  })
  const known = [...ACTIONS].filter(([, { gain }]) => gain !== undefined)
  const expected = known.map(([name, { gain }]) => [name, gain])
  expect(new Map(shown as [string, number][])).toEqual(new Map(expected as [string, number][]))
})

test.each([
  ['opens', /every\s+action\s+that\s+opens\s+a\s+hit\s+\(([^)]*)\)/],
  ['converts', /tests\s+count\s+([^;.]*?)\s+as\s+conversions/],
] as const)('the actions of which %s is true are named', (what, words) => {
  const [, shown = ''] = words.exec(learning) ?? []
  const expected = [...ACTIONS].filter(([, action]) => action[what] === true)
  expect(wordsIn(shown).sort()).toEqual(expected.map(([name]) => name).sort())
})

test.each([
  ['operator', RULE_OPERATORS],
  ['metric', METRIC_NAMES],
])('the table of each %s has all of its spellings', (head, known) => {
  const [, after = ''] = learning.split(`| ${head} | also | |\n|---|---|---|\n`)
  const [table = ''] = after.split('\n\n')
  const shown = table.split('\n').flatMap((row) => {
    const [, names = '', also = ''] = row.split('|')
    const lists = also.split(',')
    return wordsIn(names).map((name, at) => [name, wordsIn(lists[at] ?? '').map(plainWord)])
  })
  expect(Object.fromEntries(shown)).toEqual(known)
})

test.each([
  ['guardrails', Object.keys(COUNTED_METRICS)],
  ['triggers', Object.keys(WATCHED_METRICS)],
])('the table of metrics says which of them %s know', (rules, known) => {
  const [, after = ''] = learning.split('| metric | also | |\n|---|---|---|\n')
  const [table = ''] = after.split('\n\n')
  const shown = table.split('\n').flatMap((row) => {
    const [, name = '', , readers = ''] = row.split('|')
    const [, own = wordsIn(name)[0]] = new RegExp(`${rules} \\(\`(\\w+)\``).exec(readers) ?? []
    return readers.replaceAll(/\([^)]*\)/g, '').includes(rules) ? [own] : []
  })
  expect(shown.sort()).toEqual(known.sort())
})

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => String(word))
}
