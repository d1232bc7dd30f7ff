import { parseArgs } from 'node:util'
import { machineLine, readMachine } from '../../bench/machine.ts'
import { runKills } from './kill.ts'

const USAGE = `npm run torture -- kill [--times 200] [--seed N] [--write-ms 2500]

Kills the built server with SIGKILL under mixed writes and checks every acknowledged write after each restart.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'write-ms': { type: 'string', default: '2500' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || positionals[0] !== 'kill') console.log(USAGE)
else {
  console.log(`${machineLine(readMachine())}\nseed ${values.seed}`)
  const report = await runKills({
    times: Number(values.times),
    seed: Number(values.seed),
    writeMsMax: Number(values['write-ms']),
    say: console.log,
  })
  console.log(JSON.stringify({ seed: Number(values.seed), ...report }, undefined, 1))
  console.log(
    report.broken.length === 0
      ? `${report.kills} kills, ${report.acknowledged} acknowledged writes: none lost, none twice, no ghost.`
      : `A promise was broken; the log and the data are in ${report.folder}.`,
  )
  process.exitCode = report.broken.length === 0 ? 0 : 1
}
