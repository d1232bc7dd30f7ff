import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/*
 * A process of its own, whose open files are few: takes all of them, asks for a job that its threads have not read yet,
 * gives them back and asks again. Prints how each went. Of the compiled tree: the loader of TypeScript, which threads have
 * otherwise, has a want of files of its own, and never gets over it.
 */
const [, , file, dataDir] = process.argv
const { openPool } = await import(file)
// As the service does: the system would take the core away behind the last thread that has it.
await import(new URL('../native.js', file).href)
const pool = openPool({ searchThreads: 1, workThreads: 1, searchQueueMax: 10, dataDir })
const outcome = (job) =>
  job.then(
    () => 'done',
    (cause) => cause.code ?? cause.message,
  )
const suggest = () => outcome(pool.run('suggest', { indices: [], request: '?' }))

await outcome(pool.search({}))
const taken = takeAll()
const without = [await suggest(), await suggest()]
for (const descriptor of taken) closeSync(descriptor)
let again = await suggest()
for (let times = 0; times < 100 && again === 'UNHEALTHY'; times += 1) {
  await pause(100)
  again = await suggest()
}
await pool.close()
process.stdout.write(`${JSON.stringify({ without, again })}\n`)

function takeAll() {
  const descriptors = []
  try {
    for (;;) descriptors.push(openSync('/dev/null', 'r'))
  } catch {
    return descriptors
  }
}
