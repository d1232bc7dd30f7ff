import { type CheckpointReport, native } from '../src/native.ts'

// Background work.
native.giveWay(10)

export interface CheckpointInput {
  engineId: number
  /** Also give up the writer's threads and heap. */
  release: boolean
  /** What the files carry from then on. */
  mark: string
}

/** Makes what is published durable, so that a restart replays less. */
export function checkpoint({ engineId, release, mark }: CheckpointInput): CheckpointReport {
  // The files are to hold what is still being merged, and what they hold need not be in memory any more.
  if (release) native.release(engineId)
  const report = native.checkpoint(engineId, mark)
  if (release) native.release(engineId)
  return report
}
