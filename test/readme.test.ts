import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../src/api/index.ts'
import { READABLE } from '../src/cli/read/files.ts'
import type { Route } from '../src/http/route.ts'
import { ACTIONS } from '../src/learn/feedback/actions.ts'
import { MATCHING } from '../src/learn/plan/tuning-values.ts'
import { METRIC_NAMES } from '../src/learn/wire/metric-names.ts'
import { RULE_OPERATORS } from '../src/learn/wire/operators.ts'
import { BULK_OPS } from '../src/schema/bulk-ops.ts'
import { QUERY_CHARACTERS_MAX } from '../src/schema/common.ts'
import { HighlightOptions, SearchRequest } from '../src/schema/search.ts'
import { FUSIONS, TUNING_SHAPES } from '../src/schema/tuning.ts'
import { LANGUAGES } from '../src/search/indices/languages.ts'
import { readFilters } from '../src/search/query/filter.ts'
import { SETTINGS } from '../src/settings.ts'
import { plainWord } from '../src/word.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
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
  const [, shown] = /## Settings[\s\S]*?\n(\| variable[\s\S]*?)\n\n/.exec(readme) ?? []
  expect(shown).toBe(table)
})

function routeRow({ method, path, root, aliases = [], summary }: Route): string {
  const names = aliases.map((alias) => `\`${alias}\``)
  const also = root === true ? ['at the root', ...names] : names
  const elsewhere = also.length === 0 ? '' : ` (also ${also.join(', ')})`
  return `| ${method} | \`${path}\` | ${summary}${elsewhere} |`
}

test('the route table is the routes of the server, in their order', () => {
  const table = ['| method | path | |', '|---|---|---|', ...routes.map(routeRow)].join('\n')
  const [, shown] = /## Routes[\s\S]*?\n(\| method[\s\S]*?)\n\n/.exec(readme) ?? []
  expect(shown).toBe(table)
})

test('the length of a query is the one that is read', () => {
  expect(readme).toContain(`| \`query\` | up to ${QUERY_CHARACTERS_MAX} characters; `)
})

test('each script that is named exists', () => {
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(scripts, String(name)).toHaveProperty([String(name)])
})

test('each link inside the repository leads somewhere', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => String(path))
  for (const path of links) expect(() => statSync(join(root, path))).not.toThrow()
})

test('each link inside the page leads to a heading', () => {
  const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    String(text)
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => String(anchor))
  expect(links).toContain('two-minutes-with-it')
  expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([])
  expect(new Set(headings).size, 'a heading that stands twice has another anchor').toBe(
    headings.length,
  )
})

test('every field of a search stands in the part that tells of searching', () => {
  const [part = ''] = /## Searching[\s\S]*?\n## /.exec(readme) ?? []
  const missing = Object.keys(SearchRequest.properties).filter(
    (name) => !part.includes(`\`${name}\``),
  )
  expect(missing).toEqual([])
})

test('every part of a filter stands in its row, and in what OpenAPI tells of it', () => {
  const known =
    refusedFilter()
      .match(/known are ([\w, ]+);/)?.[1]
      ?.split(', ') ?? []
  const [row = ''] = /^\| `filters` \|.*$/m.exec(readme) ?? []
  const described = JSON.stringify(SearchRequest.properties.filters)
  expect(known).toContain('exists')
  const lacks = (text: string) => known.filter((word) => !new RegExp(`\\b${word}\\b`).test(text))
  expect(lacks(row), 'parts that the row `filters` of README does not name').toEqual([])
  expect(lacks(described), 'parts that `filters` in schema/search.ts does not name').toEqual([])
})

test('every way to fuse stands in its row, and in what OpenAPI tells of it', () => {
  const [row = ''] = /^\| `fusion` \|.*$/m.exec(readme) ?? []
  const [change = ''] = /fusion: [^.]*/.exec(TUNING_SHAPES) ?? []
  const described = SearchRequest.properties.fusion
  for (const text of [row, change, JSON.stringify(described)])
    expect(FUSIONS.filter((word) => !text.includes(word))).toEqual([])
})

test('every option of a highlight stands in its row', () => {
  const [row = ''] = /^\| `highlight` \|.*$/m.exec(readme) ?? []
  const missing = Object.keys(HighlightOptions.properties).filter(
    (name) => !new RegExp(`\\b${name}\\b`).test(row),
  )
  expect(missing).toEqual([])
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
  ['setting of a change', Object.keys(MATCHING), /\| setting \| holds \|\n([\s\S]*?)\n\n/],
  ['`op` of a bulk', BULK_OPS, /\| `op` \| \|\n([\s\S]*?)\n\n/],
  ['ending of a file that is loaded', readable, /\| kind \| becomes \|\n([\s\S]*?)\n\n/],
  ['language', LANGUAGES, /^\| `language` \|(.*)$/m],
] as const)('every %s stands in its table', (_what, names: readonly string[], table) => {
  const [, shown = ''] = table.exec(readme) ?? []
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(shown))).toEqual([])
})

test('every setting of a change stands in what OpenAPI tells of them', () => {
  const told = (name: string) => new RegExp(`\\b${name}\\b`).test(TUNING_SHAPES)
  expect(Object.keys(MATCHING).filter((name) => !told(name))).toEqual([])
})

test('the table of gains has every action that says something, with its gain', () => {
  const [, table = ''] = /\| action \| gain \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(readme) ?? []
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
  const [, shown = ''] = words.exec(readme) ?? []
  const expected = [...ACTIONS].filter(([, action]) => action[what] === true)
  expect(wordsIn(shown).sort()).toEqual(expected.map(([name]) => name).sort())
})

test.each([
  ['operator', RULE_OPERATORS],
  ['metric', METRIC_NAMES],
])('the table of each %s has all of its spellings', (head, known) => {
  const [, after = ''] = readme.split(`| ${head} | also | |\n|---|---|---|\n`)
  const [table = ''] = after.split('\n\n')
  const shown = table.split('\n').flatMap((row) => {
    const [, names = '', also = ''] = row.split('|')
    const lists = also.split(',')
    return wordsIn(names).map((name, at) => [name, wordsIn(lists[at] ?? '').map(plainWord)])
  })
  expect(Object.fromEntries(shown)).toEqual(known)
})

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => String(word))
}
