import { parseArgs } from 'node:util'
import { machineLine, readMachine } from '../../bench/machine.ts'
import { Refusal, tellPlainly } from '../../bench/refusal.ts'
import { runDamage } from './damage.ts'
import { canFault, runFaults } from './faults.ts'
import { runFull } from './full.ts'
import { runKills } from './kill.ts'
import { runRepeats } from './repeats.ts'

const USAGE = `npm run torture -- kill [--times 200] [--seed N] [--write-ms 2500]
npm run torture -- damage [--seed N]
npm run torture -- faults [--seed N]
npm run torture -- full [--seed N]
npm run torture -- repeats [--times 200] [--seed N]

kill    ends the built server with SIGKILL under writes and lessons and checks all that was acknowledged after each
        restart; at the end the learned state must be the one that a fresh fold of the log gives
damage  truncates, flips, swaps, empties, grows and removes each derived file: the service must answer as before
faults  lets the N-th call that writes or syncs fail, or end the server (needs strace): nothing acknowledged may be lost
full    fills the disk under searches and feedback, and empties it again (needs the right to mount)
repeats ends the server with SIGKILL under POSTs with an Idempotency-Key and sends them again: each must be done once`

tellPlainly()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'write-ms': { type: 'string', default: '2500' },
    help: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const tests = new Map(Object.entries({ kill, damage, faults, full, repeats }))
const [name] = positionals
const test = tests.get(name ?? '')
const numbers = ['times', 'seed', 'write-ms'] as const
const mistyped = numbers.find((option) => !/^\d+$/.test(values[option]))
if (values.help || name === undefined) console.log(USAGE)
// What tested nothing must not end like a test that passed.
else if (test === undefined)
  throw new Refusal(`There is no test "${name}". There are: ${[...tests.keys()].join(', ')}.`)
else if (mistyped !== undefined) throw new Refusal(`--${mistyped} must be a whole number.`)
else {
  console.log(`${machineLine(readMachine())}\nseed ${seed}`)
  process.exitCode = (await test()) ? 0 : 1
}

async function kill(): Promise<boolean> {
  const report = await runKills({
    times: Number(values.times),
    seed,
    writeMsMax: Number(values['write-ms']),
    say: console.log,
  })
  console.log(JSON.stringify({ seed, ...report }, undefined, 1))
  const kept = report.broken.length === 0
  console.log(
    kept
      ? `${report.kills} kills, ${report.acknowledged} acknowledged writes: none lost, none twice, no ghost.`
      : `A promise was broken; the log and the data are in ${report.folder}.`,
  )
  return kept
}

async function damage(): Promise<boolean> {
  const report = await runDamage({ seed, everyKind: true, say: console.log })
  console.log(
    `${report.damages} damages to ${report.files.length} files, ${report.broken.length} with other results.`,
  )
  return report.broken.length === 0
}

async function faults(): Promise<boolean> {
  if (!canFault()) {
    console.log(
      'There is no strace here, and nothing was tested: install it (apt-get install strace).',
    )
    return false
  }
  const report = await runFaults({ seed, say: console.log })
  console.log(JSON.stringify({ seed, ...report }, undefined, 1))
  return report.broken.length === 0
}

async function full(): Promise<boolean> {
  const report = await runFull({ seed, say: console.log })
  if (report === undefined) {
    console.log('No small disk may be mounted here, and nothing was tested.')
    return false
  }
  console.log(JSON.stringify({ seed, ...report }, undefined, 1))
  return report.broken.length === 0
}

async function repeats(): Promise<boolean> {
  const report = await runRepeats({ times: Number(values.times), seed, say: console.log })
  console.log(JSON.stringify({ seed, ...report }, undefined, 1))
  const kept = report.broken.length === 0
  console.log(
    kept
      ? `${report.kills} kills, ${report.sent} requests: each done once.`
      : `Something was not done once; the data are in ${report.folder}.`,
  )
  return kept
}
