import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One job as a thread is given it. */
export interface Job {
  /** The name of its file in `workers/`, and of the function there. */
  name: string
  input: unknown
}

type Work = (input: unknown) => unknown

/** What a thread has read so far: few do all. */
const works = new Map<string, Work>()
/** Jobs that were begun and wait for something. */
let waiting = 0

/**
 * What every thread runs. Node never reads a file again that a thread once failed to read: one that had no file
 * descriptor left for the code of a job ends once there are some, and the pool starts another in its place.
 */
export function job({ name, input }: Job): unknown {
  const work = works.get(name)
  return work === undefined ? until(runFirst(name, input)) : run(work, input)
}

function run(work: Work, input: unknown): unknown {
  const result = work(input)
  return result instanceof Promise ? until(result) : result
}

/** Counts the job among those that wait until it is done. */
async function until<Result>(result: Promise<Result>): Promise<Result> {
  waiting += 1
  try {
    return await result
  } finally {
    waiting -= 1
  }
}

async function runFirst(name: string, input: unknown): Promise<unknown> {
  const work = await load(name)
  works.set(name, work)
  return run(work, input)
}

async function load(name: string): Promise<Work> {
  const file = new URL(`../../workers/${name}${extname(import.meta.url)}`, import.meta.url)
  try {
    const { [name]: work }: Record<string, Work> = await read(file)
    if (work === undefined) throw new Error(`${file.pathname} has no function ${name}.`)
    return work
  } catch (cause) {
    if (!wantsDescriptors(cause)) throw cause
    endLater(file)
    throw new Error(`UNHEALTHY: ${TOO_MANY}`, { cause })
  }
}

/** Sources are read by `require`: the loader that threads have for TypeScript (tsx) knows no other way in them. */
function read(file: URL): Record<string, Work> | Promise<Record<string, Work>> {
  if (file.pathname.endsWith('.ts')) return createRequire(import.meta.url)(fileURLToPath(file))
  return import(file.href)
}

const TOO_MANY =
  'The service has as many files and connections open as the system allows it, so that this could not be begun; ' +
  'try again later, and let it have more (ulimit -n).'

/** Told by Node's code or, where a library failed, by the system's sentence. */
function wantsDescriptors(cause: unknown): boolean {
  return /\b(EMFILE|ENFILE)\b|too many open files/i.test(String(cause))
}

const LOOK_MS = 500
/** More than it takes to start a thread and read its code: with fewer free, the next one would fail as this one did. */
const DESCRIPTORS = 32

let isEnding = false

/** Ends this thread between two jobs, once another one can be started. */
function endLater(file: URL): void {
  if (isEnding) return
  isEnding = true
  setInterval(() => {
    if (waiting === 0 && canOpen(file)) process.exit()
  }, LOOK_MS)
}

function canOpen(file: URL): boolean {
  const opened: number[] = []
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync(file, 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
