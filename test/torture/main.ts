import { parseArgs } from 'node:util'
import { machineLine, readMachine } from '../../bench/machine.ts'
import { runDamage } from './damage.ts'
import { runKills } from './kill.ts'

const USAGE = `npm run torture -- kill [--times 200] [--seed N] [--write-ms 2500]
npm run torture -- damage [--seed N]

kill    ends the built server with SIGKILL under mixed writes and checks every acknowledged write after each restart
damage  truncates, flips, swaps, empties, grows and removes each derived file: the service must answer as before`

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
const tests: Record<string, () => Promise<boolean>> = { kill, damage }
const test = tests[positionals[0] ?? '']
if (values.help || test === undefined) console.log(USAGE)
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
