import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { type Pages, readPages } from './pages.ts'
import { damagedRecords } from './records-file.ts'
import type { TableName } from './tables.ts'

/** The table without which no start goes on, and its row that only a stop takes away. */
const FACTS: TableName = 'meta'
const OWNER = 'owner'

/**
 * A start waits so long for a look through all tables. Most ends by a signal leave a sound file, and nearly all stops do:
 * then it is enough to see the small tables, of which a start reads most.
 */
const LOOK_MS_MAX = { afterStop: 2000, afterCrash: 15_000 }

interface Wrong {
  /** One sentence for each table. */
  sentences: string[]
  /** Whether nothing can be opened. */
  isFatal: boolean
}

/**
 * Looks at the file before LMDB opens it, which ends the process by a signal, without a word, where it meets a wrong page.
 * Throws a StartError where the store can't be opened. Where a table is damaged it logs and answers that, in one sentence
 * for each: what lies elsewhere can be read. It takes some .4 s for a gigabyte; what `LOOK_MS_MAX` leaves out of a whole
 * file is not seen, longer after a process that did not stop by itself, as one that met a wrong page.
 */
export function refuseDamaged(
  file: string,
  log: { error(fields: object, message: string): void },
): readonly string[] {
  if (!existsSync(file) || statSync(file).size === 0) return []
  const descriptor = openSync(file, 'r')
  try {
    const pages = readPages(descriptor)
    if (pages === undefined) throw damagedRecords(file, 'it does not begin as a record store does')
    const { sentences, isFatal } = findWrong(pages)
    // Of what another process writes to meanwhile, the newest pages may be missed. That process is told of later.
    if (sentences.length === 0 || !pages.isUnchanged()) return []
    if (isFatal) throw damagedRecords(file, sentences.join(', '))
    log.error(
      { file, damage: sentences },
      'the record store is damaged: what lies there is lost, and to read it may end the process. Put a whole copy in its place',
    )
    return sentences
  } finally {
    closeSync(descriptor)
  }
}

function findWrong(pages: Pages): Wrong {
  const lists = pages.listsProblem()
  if (lists !== undefined) return { sentences: [`its list of pages ${lists}`], isFatal: true }
  let isOwned = false
  const facts = pages.tableProblem(FACTS, {
    found: (key) => {
      isOwned ||= key === OWNER
    },
  })
  if (facts !== undefined) return { sentences: [sentenceOf(FACTS, facts)], isFatal: true }
  const isCut = pages.bytes < pages.expected
  // What a cut file lacks would end the process whenever it is met.
  const lookMs = isOwned ? LOOK_MS_MAX.afterCrash : LOOK_MS_MAX.afterStop
  const untilMs = isCut ? Number.POSITIVE_INFINITY : performance.now() + lookMs
  const sentences = pages.tables().flatMap((name) => {
    const problem = pages.tableProblem(name, { untilMs })
    return problem === undefined ? [] : [sentenceOf(name, problem)]
  })
  return { sentences, isFatal: isCut }
}

function sentenceOf(table: string, problem: string): string {
  return `its table ${table} ${problem}`
}
