import { type CheckpointReport, native } from '../src/native.ts'

// Background work.
native.giveWay(10)

export interface CheckpointInput {
  engineId: number
  /** Also give up the writer's threads and heap. */
  release: boolean
}

/** Makes what is published durable, so that a restart replays less. */
export function checkpoint({ engineId, release }: CheckpointInput): CheckpointReport {
  const report = native.checkpoint(engineId)
  if (release) native.release(engineId)
  return report
}
