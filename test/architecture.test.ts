import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const decisions = readFileSync(join(root, 'DECISIONS.md'), 'utf8')
const namesIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => String(name))
const named = namesIn(map)
const NOT_MAPPED = 'rooms that the code map of ARCHITECTURE.md does not name'

/** Every file and folder below the rooms of the map, as `/src/…`; folders end in a slash. */
const paths = [
  ...['/native/', '/native/attune.d.ts'],
  ...[
    'src',
    'workers',
    'native/src',
    'native/tests',
    'native/examples',
    'test',
    'bench',
    'docs',
  ].flatMap((room) => [
    `/${room}/`,
    ...readdirSync(join(root, room), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name))
      return entry.isDirectory() ? `/${path}/` : `/${path}`
    }),
  ]),
]

test('each file and folder that the map or a decision names exists', () => {
  const looksLikePath = /^[\w.-]+\/[\w./-]*$|^[\w-]+(\.test)?\.(ts|rs)$/
  const sought = [...named, ...namesIn(decisions)].filter((name) => looksLikePath.test(name))
  expect(sought.length).toBeGreaterThan(50)
  const isThere = (name: string) =>
    paths.some((path) => ['', '.ts', '/'].some((end) => path.endsWith(`/${name}${end}`)))
  expect(sought.filter((name) => !isThere(name))).toEqual([])
})

/** A row of the table that tells where to change what: the files and folders in it, and the other names. */
function readRow(row: string): { places: string[]; names: string[] } {
  const places: string[] = []
  const names: string[] = []
  let folder = 'src/'
  for (const name of namesIn(row)) {
    if (/^[a-zA-Z_]\w*$/.test(name)) names.push(name)
    if (!/^[\w.-]+\/[\w./-]*$|^[\w.-]+\.(ts|rs)$/.test(name)) continue
    const isWhole = /^(native|workers|test|bench|docs|src)\//.test(name)
    const place = isWhole ? name : name.includes('/') ? `src/${name}` : `${folder}${name}`
    places.push(place)
    folder = place.slice(0, place.lastIndexOf('/') + 1)
  }
  return { places, names }
}

const [, changes = ''] = /## Where to change what\n([\s\S]*?)\n## /.exec(map) ?? []
const rows = changes.split('\n').filter((line) => /^\| (?!for \|)\w/.test(line))

test('each row that tells where to change what names places as the line above the table says', () => {
  expect(rows.length).toBeGreaterThan(30)
  const unknown = rows.flatMap((row) =>
    readRow(row)
      .places.filter((place) => !existsSync(join(root, place)))
      .map((place) => `${place}, for ${row.split('|')[1]?.trim()}`),
  )
  expect(unknown).toEqual([])
})

test('each such row can be read at once: what is longer is several rows', () => {
  const long = rows.filter((row) => row.length > 600).map((row) => row.split('|')[1]?.trim())
  expect(long).toEqual([])
})

test('each name in such a row stands in a file of the row', () => {
  const sources = paths.filter((path) => /\.(ts|rs)$/.test(path)).map((path) => path.slice(1))
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const unknown = rows.flatMap((row) => {
    const { places, names } = readRow(row)
    const near = sources.filter((path) => places.some((place) => path.startsWith(place)))
    const said = near.map(text).join('\n')
    const lost = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(said))
    return lost.map((name) => `${name}, for ${row.split('|')[1]?.trim()}`)
  })
  expect(unknown).toEqual([])
})

test('each file that a comment refers to exists', () => {
  const sources = paths.filter((path) => /^\/(src|workers|test|bench)\/.*\.ts$/.test(path))
  const lost = sources.flatMap((source) =>
    [
      ...readFileSync(join(root, source), 'utf8').matchAll(
        /\bsee ((?:[\w-]+\/)*[\w-]+\.(?:ts|rs))\b/g,
      ),
    ]
      .filter(([, name]) => !paths.some((path) => path.endsWith(`/${name}`)))
      .map(([, name]) => `${source}: ${name}`),
  )
  expect(lost).toEqual([])
})

test('each room, and each room of searching and learning, is on the map', () => {
  const rooms = paths.filter((path) =>
    /^\/src\/([\w.-]+|(?:search|learn)\/\w+\/|\w+\/)$/.test(path),
  )
  expect(rooms.length).toBeGreaterThan(30)
  const isNamed = (room: string) => {
    const name = `${basename(room)}${room.endsWith('/') ? '/' : ''}`
    const spelled = [name, room.slice(1), room.slice(1).replace(/\/$/, '')]
    return spelled.some((one) => named.includes(one))
  }
  expect(
    rooms.filter((room) => !isNamed(room)),
    NOT_MAPPED,
  ).toEqual([])
})

test('each room of the Rust crate is on the map', () => {
  const rooms = paths.filter((path) => /^\/native\/src\/\w+\/$/.test(path))
  expect(rooms.length).toBeGreaterThan(3)
  expect(
    rooms.filter((room) => !named.includes(room.slice(1))),
    NOT_MAPPED,
  ).toEqual([])
})

test('each file of tests of the Rust crate is run: cargo looks for none by itself', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const parts = [...read('native/tests/main.rs').matchAll(/^mod (\w+);/gm)]
  const programs = [...read('native/Cargo.toml').matchAll(/^path = "tests\/(\w+)\.rs"/gm)]
  const run = new Set([...parts, ...programs].map(([, name]) => `/native/tests/${name}.rs`))
  const files = paths.filter((path) => /^\/native\/tests\/\w+\.rs$/.test(path))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((path) => !run.has(path))).toEqual([])
})

test('each worker job is in the drawing', () => {
  const [drawing = ''] = /```[\s\S]*?```/.exec(map) ?? []
  const jobs = paths.flatMap((path) => /^\/workers\/(\w+)\.ts$/.exec(path)?.[1] ?? [])
  const isDrawn = (job: string) => new RegExp(`\\b${job}\\b`).test(drawing)
  expect(jobs.length).toBeGreaterThan(5)
  expect(jobs.filter((job) => !isDrawn(job))).toEqual([])
})
