import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const instructions = readInstructions(readFileSync(join(root, 'Dockerfile'), 'utf8'))
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

interface Instruction {
  word: string
  rest: string
  /** The stage it stands in, as named by AS; '' for an unnamed one. */
  stage: string
}

function readInstructions(dockerfile: string): Instruction[] {
  let stage = ''
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
      if (word === 'FROM') stage = / AS (\S+)$/.exec(rest)?.[1] ?? ''
      return { word, rest, stage }
    })
}

const all = (word: string, stage?: string) =>
  instructions.filter((one) => one.word === word && (stage === undefined || one.stage === stage))
const lastStage = instructions.at(-1)?.stage

/** Splits a COPY into the stage it copies from, its sources and its target. */
function readCopy({ rest }: Instruction) {
  const words = rest.split(/\s+/)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }
}

test('each path copied from the tree exists and is let in by .dockerignore', () => {
  const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const copied = all('COPY').map(readCopy)
  const sources = copied.filter(({ from }) => from === undefined).flatMap((copy) => copy.sources)
  expect(sources.length).toBeGreaterThan(4)
  for (const source of sources) {
    const name = source.replace(/^\.\//, '')
    expect(existsSync(join(root, name)), name).toBe(true)
    expect(ignore, name).toContain(`!${name}`)
  }
})

test('each stage that is built on or copied from stands above', () => {
  const known = new Set<string>()
  for (const one of instructions) {
    if (one.word === 'FROM') {
      const [image = '', as, name] = one.rest.split(/\s+/)
      expect(known.has(image) || /[:/]/.test(image), image).toBe(true)
      if (as === 'AS' && name !== undefined) known.add(name)
    }
    const from = one.word === 'COPY' ? readCopy(one).from : undefined
    if (from !== undefined) expect(known, from).toContain(from)
  }
})

test('what one stage copies from another was made or copied there', () => {
  const made: Record<string, RegExp> = {
    'native/attune.node': /npm run build:native/,
    dist: /npm run build:typescript/,
    node_modules: /npm ci/,
  }
  const taken = all('COPY', lastStage).map(readCopy)
  for (const { from, sources } of taken) {
    for (const source of sources) {
      const name = source.replace('/attune/', '')
      const runs = all('RUN', from).map(({ rest }) => rest)
      const copies = all('COPY', from).flatMap((one) => readCopy(one).sources)
      const found = copies.includes(name) || runs.some((run) => made[name]?.test(run))
      expect(found, `${source} in ${from}`).toBe(true)
    }
  }
})

test('everything is built by scripts of package.json', () => {
  const ran = all('RUN').flatMap(({ rest }) => [...rest.matchAll(/npm run (\S+)/g)])
  const names = ran.map(([, name]) => name)
  expect(names.toSorted()).toEqual(['build:native', 'build:typescript'])
  for (const name of names) expect(scripts).toHaveProperty([String(name)])
  const others = all('RUN').filter(({ rest }) => /\b(cargo|tsc)\b/.test(rest))
  expect(others).toEqual([])
})

test('the server runs the same file as npm start, not as root, with its data on a volume', () => {
  const command = JSON.parse(all('CMD', lastStage)[0]?.rest ?? '[]') as string[]
  expect(command.join(' ')).toBe(scripts.start)
  const user = all('USER', lastStage).at(-1)?.rest
  expect(user).toBeDefined()
  expect(user).not.toMatch(/^(root|0)\b/)
  const environment = all('ENV', lastStage)[0]?.rest ?? ''
  expect(environment).toContain('HOST=0.0.0.0')
  const folder = /DATA_DIR=(\S+)/.exec(environment)?.[1]
  expect(all('VOLUME', lastStage).map(({ rest }) => rest)).toEqual([folder])
})

test('the health check asks for a route that there is', () => {
  const [check] = all('HEALTHCHECK', lastStage)
  const path = /\$\{process\.env\.PORT\}(\/[\w/]+)/.exec(check?.rest ?? '')?.[1]
  const folder = join(root, 'src', 'api')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(sources.some((source) => source.includes(`path: '${path}'`))).toBe(true)
})

test('the image keeps no binary of uWebSockets.js but its own', () => {
  const folder = 'node_modules/uWebSockets.js/dist/bin'
  const [prune = ''] = all('RUN').flatMap(({ rest }) => (rest.includes('-delete') ? [rest] : []))
  expect(prune).toContain(`find ${folder} `)
  const kept = /! -name "([^"]+)"/.exec(prune)?.[1]
  const own = kept
    ?.replace('$(node -p process.arch)', process.arch)
    .replace('$(node -p process.versions.modules)', process.versions.modules)
  expect(existsSync(join(root, folder, String(own).replace('linux', process.platform)))).toBe(true)
})
