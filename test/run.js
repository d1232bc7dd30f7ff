// What `npm test` runs: every TypeScript test, then every Rust test, then one line that sums up both.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cargoEnvironment } from '../native/build.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs vitest and returns its counts. A file that does not load and a run that fails without a failed
 * test (an unhandled rejection, a crash of a worker) count as one failure: nothing red sums up to green.
 */
async function runVitest() {
  const folder = mkdtempSync(join(tmpdir(), 'attune-test-'))
  const report = join(folder, 'report.json')
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { code } = await run(process.execPath, [vitest, 'run', ...reporters], root, process.env)
    const { numPassedTests: passed, numFailedTests, testResults } = readReport(report)
    const unloaded = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    )
    const named = testResults.flatMap(failuresOf)
    return atLeastOneFailure('vitest', code, {
      passed,
      failed: numFailedTests + unloaded.length,
      named,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}

/** The failures of one file of vitest's report, each with what was expected. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name)
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length === 0) return status === 'failed' ? [`${file}\n${message}`] : []
  return tests.map(
    ({ fullName, failureMessages }) => `${file} > ${fullName}\n${failureMessages.join('\n')}`,
  )
}

/** Runs cargo test, which prints one `test result:` line for each of its binaries. */
async function runCargo() {
  const native = join(root, 'native')
  const args = ['test', '--release', '--locked', '--no-fail-fast']
  const { code, output } = await run('cargo', args, native, cargoEnvironment())
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)]
  const sum = (group) => results.reduce((total, match) => total + Number(match[group]), 0)
  const named = [...output.matchAll(/^test (\S+) \.\.\. FAILED$/gm)].map(
    ([, name]) => `native: ${name}`,
  )
  return atLeastOneFailure('cargo test', code, { passed: sum(1), failed: sum(2), named })
}

/** A half that failed as a whole, or that ran nothing, is a failure too. */
function atLeastOneFailure(program, code, { passed, failed, named }) {
  if ((code === 0 && passed > 0) || failed > 0) return { passed, failed, named }
  return {
    passed,
    failed: 1,
    named: [`${program} ended with code ${code}, none of its tests failed`],
  }
}

/**
 * What failed, once more at the very end: the output has thousands of lines, and of a log that is cut the end is left.
 * A message may hold a whole list of documents, so each is cut.
 */
function reminder(named) {
  if (named.length === 0) return ''
  const lines = named.slice(0, 20).map((failure) => `FAILED ${failure.slice(0, 1_500).trimEnd()}\n`)
  const more = named.length > lines.length ? [`... and ${named.length - lines.length} more\n`] : []
  return `\n${[...lines, ...more].join('\n')}`
}

/** Passes the child's output on as it comes and keeps what it wrote to stdout. */
function run(command, args, cwd, env) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', (error) => {
      process.stderr.write(`${command} could not be started: ${error.message}\n`)
      done({ code: 1, output })
    })
    child.on('close', (code) => done({ code: code ?? 1, output }))
  })
}

const counts = [await runVitest(), await runCargo()]
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
process.exitCode = failed === 0 ? 0 : 1
process.stdout.write(reminder(counts.flatMap(({ named }) => named)))
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
