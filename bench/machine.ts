import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

/** Where and on what a figure was measured; printed beside every table. */
export interface Machine {
  processor: string
  cores: number
  memoryGb: number
  kernel: string
  node: string
  commit: string
  when: string
  /** Mean number of running processes in the minute before; well above 0 means that others were at work. */
  loadBefore: number
}

/** Reads the machine and the commit; a working tree with changes gets a `+`. */
export function readMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: readCommit(),
    when: new Date().toISOString(),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

/** One line for people. */
export function machineLine(machine: Machine): string {
  const { processor, cores, memoryGb, kernel, node, commit, loadBefore } = machine
  return `${processor}, ${cores} cores, ${memoryGb} GB, Linux ${kernel}, Node ${node}, commit ${commit}, load ${loadBefore}`
}

function readCommit(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'
    return git('rev-parse', '--short', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}
