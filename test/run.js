// What `npm test` runs: every TypeScript test, then every Rust test, then one line that sums up both.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
    return atLeastOneFailure(code, { passed, failed: numFailedTests + unloaded.length })
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

/** Runs cargo test, which prints one `test result:` line for each of its binaries. */
async function runCargo() {
  const native = join(root, 'native')
  const args = ['test', '--release', '--locked', '--no-fail-fast']
  const { code, output } = await run('cargo', args, native, cargoEnvironment())
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)]
  const sum = (group) => results.reduce((total, match) => total + Number(match[group]), 0)
  return atLeastOneFailure(code, { passed: sum(1), failed: sum(2) })
}

/** A half that failed as a whole, or that ran nothing, is a failure too. */
function atLeastOneFailure(code, { passed, failed }) {
  return { passed, failed: code === 0 && passed > 0 ? failed : Math.max(1, failed) }
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
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
