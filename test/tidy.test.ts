import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../src/settings.ts'

interface Source {
  /** Path inside the repository. */
  path: string
  text: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const LINES_MAX = 250

/** Which rooms a room may import from; its own it always may. `app` as a type only. */
const MAY_IMPORT: Record<string, string[]> = {
  schema: [],
  'answer-room': ['config', 'errors'],
  errors: [],
  settings: [],
  breath: [],
  'lasting-failures': [],
  semaphore: [],
  word: [],
  object: [],
  pieces: [],
  credentials: [],
  ids: [],
  'first-mistake': [],
  'doubtful-moment': [],
  'nearest-name': [],
  'synonym-rule': [],
  json: ['breath', 'config', 'errors', 'first-mistake', 'object'],
  config: ['first-mistake', 'nearest-name', 'settings', 'word'],
  metrics: ['breath', 'config'],
  package: [],
  native: ['errors', 'package', 'addon'],
  'shared-clock': [],
  'end-process': ['native'],
  threads: ['workers', 'config', 'errors'],
  store: ['config', 'errors', 'metrics', 'native', 'schema'],
  embed: ['config', 'credentials', 'errors', 'semaphore', 'metrics', 'native', 'schema'],
  search: [
    'answer-room',
    'lasting-failures',
    'breath',
    'semaphore',
    'config',
    'embed',
    'errors',
    'metrics',
    'native',
    'schema',
    'store',
    'threads',
    'word',
    'object',
    'pieces',
    'ids',
    'nearest-name',
    'doubtful-moment',
    'synonym-rule',
    'json',
    'shared-clock',
  ],
  learn: [
    'breath',
    'lasting-failures',
    'config',
    'errors',
    'json',
    'metrics',
    'schema',
    'store',
    'threads',
    'word',
    'object',
    'ids',
    'nearest-name',
    'doubtful-moment',
    'synonym-rule',
  ],
  workers: [
    'embed',
    'errors',
    'json',
    'object',
    'search',
    'learn',
    'native',
    'schema',
    'shared-clock',
    'store',
    'threads',
  ],
  health: ['app', 'config', 'errors', 'word'],
  figures: ['metrics', 'search', 'store', 'threads'],
  upkeep: ['lasting-failures'],
  meeting: ['learn', 'native', 'schema', 'search'],
  app: [
    ...['config', 'errors', 'metrics', 'native', 'threads', 'store', 'embed', 'search', 'learn'],
    ...['answer-room', 'schema', 'figures', 'meeting', 'upkeep'],
  ],
  http: [
    ...['app', 'breath', 'config', 'errors', 'ids', 'json', 'metrics', 'schema', 'shared-clock'],
    ...['answer-room', 'nearest-name', 'object', 'pieces', 'word'],
  ],
  api: ['app', 'doubtful-moment', 'errors', 'health', 'http', 'json', 'schema'],
}
/** The same of the rooms inside of `search`; what lies beside them puts them together, or is known to all. */
const SEARCH_ROOMS: Record<string, string[]> = {
  query: ['engine', 'indices'],
  documents: ['engine', 'indices'],
  engine: ['indices'],
  indices: [],
}
/** The same of the rooms of the Rust crate; what lies beside them is known to all, or (`BIND_CRATE`) knows all. */
const CRATE_ROOMS: Record<string, string[]> = {
  search: ['engine', 'analysis', 'model', 'vectors'],
  // a model knows the names of what is in a row
  model: ['search'],
  engine: ['analysis', 'space', 'vectors'],
  analysis: ['space'],
  space: ['vectors'],
  vectors: [],
}
const BIND_CRATE = ['lib', 'registry']
/** These stand above all rooms. */
const UNBOUND = new Set(['main', 'process', 'cli'])
/** Rooms that others may know by type alone. */
const TYPES_ONLY: Record<string, (room: string) => boolean> = {
  app: (room) => !UNBOUND.has(room),
  workers: (room) => room === 'threads',
  addon: () => true,
}

/** The one place where each foreign package is known. */
const DOORS: Record<string, RegExp> = {
  'uWebSockets.js': /^src\/http\/(server|web-exchange|web-answer)\.ts$/,
  lmdb: /^src\/store\//,
  msgpackr: /^src\/store\//,
  piscina: /^src\/threads\//,
  uuid: /^src\/ids\.ts$/,
  'prom-client': /^src\/metrics\/metrics\.ts$/,
  ajv: /^src\/http\/validate\.ts$/,
  'ajv-formats': /^src\/http\/validate\.ts$/,
  undici: /^src\/embed\/http\.ts$/,
  commander: /^src\/cli\//,
  'cli-progress': /^src\/cli\//,
  'csv-parse': /^src\/cli\//,
  htmlparser2: /^src\/cli\//,
  typebox: /^src\/(schema|http|api)\//,
  pino: /^src\/log\.ts$/,
}
/** The log is passed in as an interface, which is that of the package. */
const KNOWN_BY_TYPE = new Set(['pino'])

const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common|types|services?|managers?)(\/|\.ts$)/

function roomOf(path: string): string {
  const [top = '', second = '', third] = path.split('/')
  if (top === 'native') return 'addon'
  if (top !== 'src') return top
  return third === undefined ? second.replace(/\.ts$/, '') : second
}

interface Import {
  target: string
  typeOnly: boolean
}

function importsOf(text: string): Import[] {
  const found: Import[] = []
  for (const [, kind, names = '', target = ''] of text.matchAll(
    /^(?:import|export)\s+(type\s+)?((?:[^'"\n;]|\n)*?)\bfrom\s+'([^']+)'/gm,
  )) {
    const each = /^\{([\s\S]*)\}\s*$/.exec(names.trim())?.[1]?.split(',') ?? ['value']
    const listed = each.filter((name) => name.trim() !== '')
    const typeOnly = kind !== undefined || listed.every((name) => /^\s*type\s/.test(name))
    found.push({ target, typeOnly })
  }
  for (const [, target] of text.matchAll(/(?:^import\s+|\bimport\()'([^']+)'/gm))
    if (target !== undefined) found.push({ target, typeOnly: false })
  return found
}

function wrongImports({ path, text }: Source): string[] {
  const room = roomOf(path)
  const wrong: string[] = []
  for (const { target, typeOnly } of importsOf(text)) {
    if (target.startsWith('node:')) continue
    if (!target.startsWith('.')) {
      const isKnown = DOORS[target]?.test(path) || (typeOnly && KNOWN_BY_TYPE.has(target))
      if (!isKnown) wrong.push(`${path} → ${target}`)
      continue
    }
    const file = normalize(join(dirname(path), target))
    const other = roomOf(file)
    if (other === room || UNBOUND.has(room)) continue
    const allowed = MAY_IMPORT[room]?.includes(other) ?? false
    const asValue = !typeOnly && (TYPES_ONLY[other]?.(room) ?? false)
    if (!allowed || asValue) wrong.push(`${path} → ${file}`)
  }
  return wrong
}

const SEARCH_ROOM = /^src\/search\/(\w+)\//

function wrongInSearch({ path, text }: Source): string[] {
  const room = SEARCH_ROOM.exec(path)?.[1]
  if (room === undefined) return []
  const known = [room, ...(SEARCH_ROOMS[room] ?? [])]
  return importsOf(text)
    .map(({ target }) => normalize(join(dirname(path), target)))
    .filter((file) => !known.includes(SEARCH_ROOM.exec(file)?.[1] ?? room))
    .map((file) => `${path} → ${file}`)
}

/** The same in the crate, whose unit tests may look around. */
function wrongInCrate({ path, text }: Source): string[] {
  const room = /^native\/src\/(\w+)/.exec(path)?.[1] ?? ''
  if (BIND_CRATE.includes(room)) return []
  const [code = ''] = path.endsWith('/tests.rs') ? [] : text.split('#[cfg(test)]')
  return [...code.matchAll(/\bcrate::(\w+)/g)]
    .map(([, other = '']) => other)
    .filter((other) => other !== room && (other in CRATE_ROOMS || BIND_CRATE.includes(other)))
    .filter((other) => !CRATE_ROOMS[room]?.includes(other))
    .map((other) => `${path} → ${other}`)
}

/** Files that know each other in a circle, as the paths of one walk around each that is found. */
function circlesAmong(
  paths: Iterable<string>,
  knownTo: (path: string) => readonly string[],
): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (path: string, way: string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    done.add(path)
    for (const other of knownTo(path)) walk(other, [...way, path])
  }
  for (const path of paths) walk(path, [])
  return circles
}

/** Such circles of imports, also where it is for a type alone. */
function circlesOf(all: readonly Source[]): string[] {
  const texts = new Map(all.map(({ path, text }) => [path, text]))
  return circlesAmong(texts.keys(), (path) =>
    importsOf(texts.get(path) ?? '')
      .map(({ target }) => normalize(join(dirname(path), target)))
      .filter((other) => texts.has(other)),
  )
}

/** The same in the crate. */
function circlesInCrate(all: readonly Source[]): string[] {
  const texts = new Map(all.map(({ path, text }) => [path, text.split('#[cfg(test)]')[0] ?? '']))
  const fileOf = (names: string[]): string | undefined => {
    if (names.length === 0) return undefined
    const path = `native/src/${names.join('/')}.rs`
    return texts.has(path) ? path : fileOf(names.slice(0, -1))
  }
  const starts = [...texts.keys()].filter((path) => !path.endsWith('/tests.rs'))
  return circlesAmong(starts, (path) =>
    [...(texts.get(path)?.matchAll(/\bcrate::([a-z_:]+)/g) ?? [])].flatMap(([, names = '']) => {
      const other = fileOf(names.split('::').filter((name) => name !== ''))
      return other === undefined || other === path ? [] : [other]
    }),
  )
}

/** Dependencies of the crate that none of its files names: they are compiled for nothing. */
function unusedByCrate(manifest: string, all: readonly Source[]): string[] {
  const [, rest = ''] = manifest.split('\n[dependencies]\n')
  const [list = ''] = rest.split(/^\[/m)
  const names = [...list.matchAll(/^([\w-]+) = /gm)].map(([, name = '']) => name)
  return names.filter((name) => {
    const named = new RegExp(`\\b${name.replaceAll('-', '_')}\\b`)
    return !all.some(({ text }) => named.test(text))
  })
}

/** Packages that a file loads, itself or by what it imports. */
function packagesOf(path: string, all: readonly Source[], seen = new Set<string>()): Set<string> {
  const packages = new Set<string>()
  const source = all.find((each) => each.path === path)
  if (source === undefined || seen.has(path)) return packages
  seen.add(path)
  for (const { target, typeOnly } of importsOf(source.text)) {
    if (typeOnly || target.startsWith('node:')) continue
    if (!target.startsWith('.')) packages.add(target)
    else
      for (const each of packagesOf(normalize(join(dirname(path), target)), all, seen))
        packages.add(each)
  }
  return packages
}

function badName({ path }: Source): string[] {
  const wrong = FORBIDDEN_NAMES.test(path) && path !== 'src/schema/common.ts'
  const index = path.endsWith('/index.ts') && path !== 'src/api/index.ts'
  return wrong || index ? [path] : []
}

function tooLong({ path, text }: Source): string[] {
  const lines = text.trimEnd().split('\n').length
  return lines > LINES_MAX ? [`${path}: ${lines} lines, of ${LINES_MAX}`] : []
}

function namesWorkerFiles({ path, text }: Source): string[] {
  if (path === 'src/threads/pool.ts' || path === 'src/threads/job.ts') return []
  return /['"`][^'"`\n]*\bworkers\/[^'"`\n]*['"`]/.test(text) ? [path] : []
}

/** Settings that no part names: whoever sets one is heeded by nobody. */
function unreadSettings(names: readonly string[], all: readonly Source[]): string[] {
  const parts = all.filter(({ path }) => path !== 'src/settings.ts').map(({ text }) => text)
  return names.filter((name) => !parts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
}

/** What the language has and this code does without; one class is made so often that it is worth it. */
function unwantedForms({ path, text }: Source): string[] {
  const forms: [string, RegExp][] = [
    ['class', /^\s*(export\s+)?(abstract\s+)?class\s+(?!\w+ extends \w*Error\b|WebExchange\b)/m],
    ['enum', /^\s*(export\s+)?(const\s+)?enum\s/m],
    ['default export', /^export default\b/m],
    ['machine path', /['"`](\/work\/|\/home\/|\/root\/)/],
    // Whoever looks for a sentence that he was told types the other one.
    ['curved apostrophe', /[\p{L}}]’\p{L}/u],
  ]
  const code = text
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
    .join('\n')
  return forms.filter(([, form]) => form.test(code)).map(([name]) => `${path}: ${name}`)
}

const TYPE = /^export (?:interface|type) (\w+)/gm
const VALUE = /^export (?:const|(?:async )?function\*?) (\w+)/gm
/** Routes, jobs and commands are called by what they do, as are the functions that do it. */
const CALLED_ALIKE = /^(src\/(api|cli)|workers)\//

/** Names that more than one file exports, with the files: whoever looks for one finds another. */
function namedTwice(all: readonly Source[], kind: RegExp): string[] {
  const homes = new Map<string, string[]>()
  for (const { path, text } of all)
    for (const [, name = ''] of text.matchAll(kind))
      homes.set(name, [...(homes.get(name) ?? []), path])
  return [...homes].flatMap(([name, paths]) =>
    paths.length > 1 ? [`${name}: ${paths.join(', ')}`] : [],
  )
}

const OWN_VALUE = /^(?:const|(?:async )?function\*?) (\w+)/gm
/** The first rooms of a path: `src/learn/plan` of all that lies in it. */
const roomAround = (path: string) => dirname(path).split('/').slice(0, 3).join('/')

/** Names that a file exports and another one of its room has for something else of its own. */
function namedBeside(all: readonly Source[]): string[] {
  const homes = new Map<string, string>()
  const nameIn = (path: string, name: string) => `${roomAround(path)} ${name}`
  for (const { path, text } of all)
    for (const [, name = ''] of text.matchAll(VALUE)) homes.set(nameIn(path, name), path)
  return all.flatMap(({ path, text }) =>
    [...text.matchAll(OWN_VALUE)].flatMap(([, name = '']) => {
      const home = homes.get(nameIn(path, name))
      return home === undefined ? [] : [`${name}: ${home}, ${path}`]
    }),
  )
}

/** Parts of a consumer, called by the one loop: `learn/facts.ts` says of each whether it runs inside a transaction. */
const OF_CONSUMERS = new Set(['save', 'reset', 'forget'])

/** What runs inside a transaction under way, by the words above it, and does not end in `Within`; tables refuse all else. */
function hidesTransaction({ path, text }: Source): string[] {
  if (path === 'src/store/table.ts') return []
  const told =
    /\/\*\*\s*(?:\* )?(?:Only )?[Ii]nside (?:a transaction|the transaction|`store\.write`)(?:(?!\*\/)[\s\S])*\*\/\s*(?:export )?(?:function )?(?!(?:export|type|interface)\b)([a-z]\w*)/g
  return [...text.matchAll(told)]
    .map(([, name = '']) => name)
    .filter((name) => !name.endsWith('Within') && !OF_CONSUMERS.has(name))
    .map((name) => `${path}: ${name}`)
}

function readSources(folder: string, kind = '.ts'): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(kind))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return { path: relative(root, file), text: readFileSync(file, 'utf8') }
    })
}

const sources = [...readSources('src'), ...readSources('workers')]
const crate = readSources('native/src', '.rs')
const breaches = (rule: (source: Source) => string[]) => sources.flatMap(rule)

describe('the house is tidy', () => {
  it('rooms import from the rooms that they may know', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(breaches(wrongImports), 'not in MAY_IMPORT, or DOORS for a package').toEqual([])
    expect(breaches(wrongInSearch), 'not in SEARCH_ROOMS').toEqual([])
  })

  it('files have names that a search engineer would say', () => {
    expect(breaches(badName)).toEqual([])
  })

  it('files stay short', () => {
    expect(breaches(tooLong)).toEqual([])
  })

  it('only the pool and its threads know the files of workers', () => {
    expect(breaches(namesWorkerFiles)).toEqual([])
  })

  it('there are no classes but errors, no enums, no default exports, no machine paths, no curved apostrophes', () => {
    expect(breaches(unwantedForms)).toEqual([])
  })

  it('what is exported has a name of its own', () => {
    expect(namedTwice(sources, TYPE)).toEqual([])
    const others = sources.filter(({ path }) => !CALLED_ALIKE.test(path))
    expect(namedTwice(others, VALUE)).toEqual([])
    expect(namedBeside(others), 'beside another of its room').toEqual([])
  })

  it('what runs inside a transaction under way says so by its name', () => {
    expect(breaches(hidesTransaction), 'its name must end in Within').toEqual([])
  })

  it('each setting is read by some part', () => {
    expect(unreadSettings(Object.keys(SETTINGS), sources)).toEqual([])
  })

  it('each worker file exports one function with its own name', () => {
    for (const { path, text } of readSources('workers')) {
      const exported = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, n]) => n)
      expect(exported, path).toEqual([path.replace(/^workers\/|\.ts$/g, '')])
    }
  })

  it('tests wait by `waitUntil` of test/wait-until.ts, which tells what did not come', () => {
    const waits = /\bvi\.wait(?:For|Until)\b|\bexpect\s*\.poll\b|\bfunction (?:eventually|until)\b/
    const tests = readSources('test').filter(({ path }) => path !== 'test/tidy.test.ts')
    expect(tests.filter(({ text }) => waits.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('tests take folders from test/temporary-folder.ts, which removes them however a test ends', () => {
    const tests = readSources('test', '.test.ts').filter(({ path }) => path !== 'test/tidy.test.ts')
    expect(tests.filter(({ text }) => text.includes('mkdtemp')).map(({ path }) => path)).toEqual([])
  })

  it('threads load no schemas: each would take five megabytes for them', () => {
    const threads = sources.filter(({ path }) => path.startsWith('workers/'))
    expect(threads.flatMap(({ path }) => [...packagesOf(path, sources)])).not.toContain('typebox')
    expect([...packagesOf('src/api/cortex/search.ts', sources)]).toContain('typebox')
  })

  it('one file of the Rust crate names napi', () => {
    const naming = crate.filter(({ text }) => /^\s*use napi|napi_derive|\bnapi::/m.test(text))
    expect(naming.map(({ path }) => path)).toEqual(['native/src/lib.rs'])
  })

  it('rooms of the Rust crate know those that they may know', () => {
    const rooms = crate.flatMap(({ path }) => /^native\/src\/(\w+)\//.exec(path)?.[1] ?? [])
    expect([...new Set(rooms)].sort(), 'in CRATE_ROOMS').toEqual(Object.keys(CRATE_ROOMS).sort())
    expect(crate.flatMap(wrongInCrate), 'not in CRATE_ROOMS').toEqual([])
  })

  it('no files know each other in a circle, not by types either', () => {
    expect(circlesOf(sources)).toEqual([])
  })

  it('no files of the Rust crate know each other in a circle', () => {
    expect(circlesInCrate(crate)).toEqual([])
  })

  it('the Rust crate names each of its dependencies', () => {
    const manifest = readFileSync(join(root, 'native/Cargo.toml'), 'utf8')
    expect(unusedByCrate(manifest, crate)).toEqual([])
  })
})

describe('the guard bites', () => {
  it.each([
    ['src/schema/a.ts', "import { x } from '../errors.ts'"],
    ['src/search/a.ts', "import { x } from '../learn/b.ts'"],
    ['src/learn/a.ts', "import type { X } from '../search/b.ts'"],
    ['src/api/cortex/a.ts', "import { x } from '../../store/b.ts'"],
    ['src/http/a.ts', "import { openApp } from '../app.ts'"],
    ['src/http/a.ts', "import {\n  type App,\n  openApp,\n} from '../app.ts'"],
    ['src/threads/pool.ts', "import { search } from '../../workers/search.ts'"],
    ['src/http/a.ts', "export * from '../store/b.ts'"],
    ['src/api/a.ts', "import * as uWS from 'uWebSockets.js'"],
    ['src/search/a.ts', "import { open } from 'lmdb'"],
    ['src/new-room.ts', "import { x } from './errors.ts'"],
  ])('on an import that %s may not have: %s', (path, text) => {
    expect(wrongImports({ path, text })).toHaveLength(1)
  })

  it.each([
    ['src/http/a.ts', "import type { App } from '../app.ts'"],
    ['src/http/a.ts', "import { type App } from '../app.ts'"],
    ['src/threads/pool.ts', "import type { search } from '../../workers/search.ts'"],
    ['src/store/a.ts', "import { open } from 'lmdb'"],
    ['src/search/a.ts', "import { native } from '../native.ts'"],
    ['src/cli/a.ts', "import { x } from '../http/b.ts'"],
  ])('but not on what %s may have: %s', (path, text) => {
    expect(wrongImports({ path, text })).toEqual([])
  })

  it('on an import against the direction of the rooms of search', () => {
    const wrong = (path: string, text: string) => wrongInSearch({ path, text })
    const plan = "import type { X } from '../query/read-search.ts'"
    expect(wrong('src/search/indices/a.ts', plan)).toHaveLength(1)
    expect(wrong('src/search/documents/a.ts', plan)).toHaveLength(1)
    expect(wrong('src/search/query/a.ts', "import { x } from '../engine/engine.ts'")).toEqual([])
    expect(wrong('src/search/catalog.ts', "import { x } from './query/read-search.ts'")).toEqual([])
  })

  it('on a use against the direction of the rooms of the crate', () => {
    const wrong = (path: string, text: string) => wrongInCrate({ path, text })
    const search = 'use crate::search::query::Request;'
    expect(wrong('native/src/engine/a.rs', search)).toHaveLength(1)
    expect(wrong('native/src/value.rs', search)).toHaveLength(1)
    expect(wrong('native/src/search/a.rs', 'use crate::registry::get;')).toHaveLength(1)
    expect(wrong('native/src/search/a.rs', 'use crate::engine::bits::Bits;')).toEqual([])
    expect(wrong('native/src/registry.rs', search)).toEqual([])
  })

  it('on a circle of imports, also of types alone', () => {
    const one = { path: 'src/store/one.ts', text: "import { two } from './two.ts'" }
    const two = { path: 'src/store/two.ts', text: "import type { One } from './one.ts'" }
    expect(circlesOf([one, two])).toEqual([
      'src/store/one.ts → src/store/two.ts → src/store/one.ts',
    ])
    expect(circlesOf([one, { ...two, text: '' }])).toEqual([])
  })

  it('on a circle of files of the crate', () => {
    const file = (name: string, text: string) => ({ path: `native/src/${name}.rs`, text })
    const one = file('search/one', 'use crate::search::two::Two;')
    const two = file('search/two', 'use crate::search::text::three::Three;')
    const three = (text: string) => file('search/text/three', text)
    expect(circlesInCrate([one, two, three('use crate::search::one::{A, B};')])).toEqual([
      [one, two, three(''), one].map(({ path }) => path).join(' → '),
    ])
    expect(circlesInCrate([one, two, three('use crate::value::word_of;')])).toEqual([])
  })

  it('on a dependency that the crate does not name', () => {
    const manifest =
      '[package]\n\n[dependencies]\none-two = "1"\nthree = { version = "1", features = ["a"] }\nfour = "1"\n\n[profile.release]\nfive = 1\n'
    const file = { path: 'native/src/a.rs', text: 'use one_two::Two;\nfn f() { fourth() }' }
    expect(unusedByCrate(manifest, [file])).toEqual(['three', 'four'])
  })

  it.each([
    [TYPE, 'export interface Thing {}', 'export type Thing<T> = T[]'],
    [VALUE, 'export const Thing = 1', 'export async function Thing() {}'],
  ])('on what two files export by one name: %s', (kind, ...texts) => {
    const pair = texts.map((text, at) => ({ path: `src/${at}.ts`, text }))
    expect(namedTwice(pair, kind)).toEqual(['Thing: src/0.ts, src/1.ts'])
    expect(namedTwice(pair.slice(1), kind)).toEqual([])
  })

  it('on what a file of the same room calls by the name of an exported thing', () => {
    const one = { path: 'src/learn/plan/a.ts', text: 'export function sumsOf() {}' }
    const own = 'function sumsOf() {}'
    expect(namedBeside([one, { path: 'src/learn/plan/b.ts', text: own }])).toHaveLength(1)
    expect(namedBeside([one, { path: 'src/learn/loop/b.ts', text: own }])).toEqual([])
  })

  it.each([
    ['/** Inside a transaction. */\nexport function put() {}', 1],
    ['/**\n * Inside a transaction: it\n * puts.\n */\nfunction put() {}', 1],
    ['  /** Inside `store.write`: puts. */\n  put: () => void', 1],
    ['/** Inside a transaction. */\nexport function putWithin() {}', 0],
    ['  /** Inside a transaction. */\n  save: () => void', 0],
    ['/** In a transaction of its own. */\nexport function put() {}', 0],
  ])('on what runs inside a transaction and does not say so: %j', (text, count) => {
    expect(hidesTransaction({ path: 'src/learn/a.ts', text })).toHaveLength(count)
  })

  it('on a setting that nobody reads', () => {
    const named = {
      path: 'src/settings.ts',
      text: 'export const SETTINGS = { port: {}, host: {} }',
    }
    const reading = { path: 'src/process.ts', text: 'listen(config.port)' }
    expect(unreadSettings(['port', 'host'], [named, reading])).toEqual(['host'])
  })

  it('on names, lengths, worker files and forms', () => {
    const path = 'src/search/a.ts'
    for (const bad of ['src/utils/a.ts', 'src/search/helpers.ts', 'src/search/index.ts'])
      expect(badName({ path: bad, text: '' })).toHaveLength(1)
    expect(tooLong({ path, text: 'x\n'.repeat(LINES_MAX + 1) })).toHaveLength(1)
    expect(namesWorkerFiles({ path, text: "run('../workers/search.ts')" })).toHaveLength(1)
    for (const text of [
      'export class Thing {}',
      'enum A { B }',
      'export default 1',
      "const a = '/work/x'",
      "const a = 'it can’t be'",
    ])
      expect(unwantedForms({ path, text }), text).toHaveLength(1)
    expect(unwantedForms({ path, text: 'export class AError extends Error {}' })).toEqual([])
  })
})
