import { readFileSync, statSync } from 'node:fs'
import { StartError } from '../errors.ts'
import { native } from '../native.ts'
import type { Owner } from '../schema/meta-record.ts'

/** This process as the owner of the store in a file. */
export function thisProcess(file: string): Owner {
  const started = startOf(process.pid)
  const { dev, ino } = statSync(file)
  const owner = { pid: process.pid, origin: performance.timeOrigin, file: `${dev}:${ino}` }
  return started === undefined ? owner : { ...owner, started }
}

/** Whether the process that claimed the store still runs. */
function isAlive(owner: Owner): boolean {
  if (owner.pid === process.pid) return owner.origin === performance.timeOrigin
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it runs, as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  if (hasEnded(owner.pid)) return false
  return owner.started === undefined || owner.started === startOf(owner.pid)
}

/** Whether a process is over and only waits for its parent to take note, which some parents never do. */
function hasEnded(pid: number): boolean {
  try {
    const fields = statOf(pid)
    // Field 3 is the state of its first thread, 20 the number of threads: others may end later.
    return fields[0] === 'Z' && Number(fields[17]) <= 1
  } catch {
    return false
  }
}

/** Boot and start tick of a process (proc(5), stat field 22). */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}:${statOf(pid)[19]}`
  } catch {
    return undefined
  }
}

/** What the system says of a process (proc(5)), from field 3 on. Throws where it says nothing. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in field 2 may hold blanks and brackets: count from the last bracket.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Throws a StartError when a living process writes to the store that `claimant` wants. */
export function refuseOwned(owner: Owner | undefined, claimant: Owner): void {
  if (owner !== undefined && owner.file === claimant.file && isAlive(owner))
    throw new StartError(
      `The data folder is in use by process ${owner.pid}; stop it or choose another DATA_DIR.`,
    )
}

/** The hold of this process on the file of a store: as long as it has that, no other process gets it. */
export interface Hold {
  /** Throws a StartError where another process has it. */
  take: (dataDir: string) => void
  letGo: () => void
}

/** What `refuseOwned` can't see of other processes, the system can: those of another container have numbers of their own. */
export function openHold(file: string): Hold {
  let isHeld = false
  return {
    take: (dataDir) => {
      isHeld ||= native.hold(file)
      if (!isHeld)
        throw new StartError(
          `The data folder ${dataDir} is in use by a process that can't be seen from here, as one in another container; stop it or choose another DATA_DIR.`,
        )
    },
    letGo: () => {
      if (isHeld) native.letGo(file)
      isHeld = false
    },
  }
}
