import { spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

/** A file system of its own until the test is over; undefined where none may be mounted. */
export function smallDisk(megabytes: number): string | undefined {
  const folder = temporaryFolder()
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'attune-test', folder]
  if (spawnSync('mount', options).status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
  return folder
}
