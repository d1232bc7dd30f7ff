import { readFileSync } from 'node:fs'

/** Starting again does not raise the limit, see `EXIT_LASTS` in process.ts. */
const EXIT_LASTS = 2
/** What a start may open at once, and some to spare. */
const FILES_MIN = 320
const TOO_FEW_FILES = `The system lets this process open too few files to start: raise the limit (ulimit -n; LimitNOFILE of systemd) to ${FILES_MIN} at least, and by one more for each client.`

// Node opens the files of a program before a line of it runs, many at once: so nothing of it is imported here.
const filesMax = readFilesMax()
try {
  await import('./process.ts')
} catch (cause) {
  // Where it only asks for a file, it says that there is none.
  const isShort = filesMax < FILES_MIN || (cause as NodeJS.ErrnoException).code === 'EMFILE'
  if (!isShort) throw cause
  process.stderr.write(`${TOO_FEW_FILES}\n`)
  process.exit(EXIT_LASTS)
}

/** Infinity where the system does not tell, or sets no limit. */
function readFilesMax(): number {
  try {
    const [, limit] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
