import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '..')
let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  for (const name of ['test/run.js', 'native/build.js', '.ci/run'])
    cpSync(join(root, name), join(folder, name))
  file('package.json', '{"type":"module"}')
})

function file(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
  if (name.startsWith('bin/')) chmodSync(join(folder, name), 0o755)
}

/** Stands in for vitest: writes the report that it would write and ends with the code. */
function vitestGives(report: object | undefined, code: number): void {
  const write = `writeFileSync(path, ${JSON.stringify(JSON.stringify(report))})`
  file(
    'node_modules/vitest/vitest.mjs',
    `import { writeFileSync } from 'node:fs'
const path = process.argv.find((word) => word.startsWith('--outputFile.json=')).split('=')[1]
${report === undefined ? '' : write}
process.exit(${code})`,
  )
}

function cargoGives(lines: string[], code: number): void {
  const prints = lines.map((line) => `echo '${line}'`).join('\n')
  file('bin/cargo', `#!/bin/sh\n${prints}\nexit ${code}\n`)
}

function prints(command: string, args: string[]) {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder }
  const { status, stdout } = spawnSync(command, args, { env, encoding: 'utf8', cwd: folder })
  return { status, lines: stdout.trimEnd().split('\n') }
}

function runs(command: string, args: string[]) {
  const { status, lines } = prints(command, args)
  return { status, last: lines.at(-1) }
}

const run = () => join(folder, 'test', 'run.js')
const summed = () => runs(process.execPath, [run()])
const reminded = () => {
  const { lines } = prints(process.execPath, [run()])
  return lines.slice(lines.findIndex((line) => line.startsWith('FAILED ')))
}
const failed = {
  status: 'failed',
  fullName: 'bulk counts',
  failureMessages: ['expected 3 to be 4'],
}
const green = { numPassedTests: 12, numFailedTests: 0, testResults: [] }
const ok = 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out'
const empty = 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'

describe.skipIf(process.platform === 'win32')('npm test', () => {
  test('sums up TypeScript and every binary of Rust in its last line', () => {
    vitestGives(green, 0)
    cargoGives([ok, empty, ok], 0)
    expect(summed()).toEqual({ status: 0, last: '18 passed, 0 failed' })
  })

  test('fails when either half fails', () => {
    vitestGives({ ...green, numFailedTests: 2 }, 1)
    cargoGives([ok], 0)
    expect(summed()).toEqual({ status: 1, last: '15 passed, 2 failed' })
    vitestGives(green, 0)
    cargoGives([ok, 'test result: FAILED. 1 passed; 4 failed; 0 ignored'], 101)
    expect(summed()).toEqual({ status: 1, last: '16 passed, 4 failed' })
  })

  test('a test file that did not load is a failure', () => {
    const testResults = [
      {
        name: join(folder, 'test/a.test.ts'),
        status: 'failed',
        message: 'no such module',
        assertionResults: [],
      },
      { name: join(folder, 'test/b.test.ts'), status: 'failed', assertionResults: [failed] },
    ]
    vitestGives({ ...green, numFailedTests: 1, testResults }, 1)
    cargoGives([ok], 0)
    expect(summed()).toEqual({ status: 1, last: '15 passed, 2 failed' })
  })

  test('names what failed once more, right above its last line', () => {
    const passed = { status: 'passed', fullName: 'bulk takes documents', failureMessages: [] }
    const testResults = [
      {
        name: join(folder, 'test/a.test.ts'),
        status: 'failed',
        message: 'no such module',
        assertionResults: [],
      },
      {
        name: join(folder, 'test/b.test.ts'),
        status: 'failed',
        assertionResults: [passed, failed],
      },
      { name: join(folder, 'test/c.test.ts'), status: 'passed', assertionResults: [passed] },
    ]
    vitestGives({ ...green, numFailedTests: 1, testResults }, 1)
    cargoGives(['test merge::keeps_all ... FAILED', 'test result: FAILED. 1 passed; 1 failed'], 101)
    expect(reminded().filter((line) => line !== '')).toEqual([
      'FAILED test/a.test.ts',
      'no such module',
      'FAILED test/b.test.ts > bulk counts',
      'expected 3 to be 4',
      'FAILED native: merge::keeps_all',
      '13 passed, 3 failed',
    ])
  })

  test('a half that ended badly without a failed test, or ran nothing, is a failure', () => {
    cargoGives([ok], 0)
    vitestGives(green, 1)
    expect(summed()).toEqual({ status: 1, last: '15 passed, 1 failed' })
    vitestGives(undefined, 0)
    expect(summed()).toEqual({ status: 1, last: '3 passed, 1 failed' })
    vitestGives(green, 0)
    cargoGives(['error: could not compile'], 101)
    expect(summed()).toEqual({ status: 1, last: '12 passed, 1 failed' })
    expect(reminded()[0]).toBe('FAILED cargo test ended with code 101, none of its tests failed')
  })
})

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  const npmDoes = (body: string) => file('bin/npm', `#!/bin/sh\n${body}\n`)
  const ci = () => runs('bash', [join(folder, '.ci', 'run')])

  test('installs, tests, and closes with the line of npm test', () => {
    npmDoes(`echo "$@" >> "$HOME/asked"; [ "$1" = test ] && echo '7 passed, 0 failed'; exit 0`)
    expect(ci()).toEqual({ status: 0, last: '7 passed, 0 failed' })
    const asked = spawnSync('cat', [join(folder, 'asked')], { encoding: 'utf8' }).stdout
    expect(asked).toBe('ci\ntest\n')
  })

  test('installs what tests need on a machine that is set up for production, too', () => {
    npmDoes(`echo "$NODE_ENV$npm_config_omit passed, 0 failed" | sed 's/^ /1 /'`)
    for (const name of ['NODE_ENV', 'npm_config_omit']) vi.stubEnv(name, '7')
    expect(ci()).toEqual({ status: 0, last: '1 passed, 0 failed' })
    vi.unstubAllEnvs()
  })

  test('fails with the line last, whatever npm adds', () => {
    npmDoes(`[ "$1" = test ] && { echo '7 passed, 1 failed'; echo 'npm error'; exit 1; }; exit 0`)
    expect(ci()).toEqual({ status: 1, last: '7 passed, 1 failed' })
  })

  test('fails when nothing could be installed', () => {
    npmDoes('exit 1')
    expect(ci()).toEqual({ status: 1, last: '0 passed, 1 failed' })
  })
})
