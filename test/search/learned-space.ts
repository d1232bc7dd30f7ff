import type { RunningApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

/** In which an index with enough documents has learned its vectors. */
const LEARNED_MS = 50_000

/** Waits until the vectors of an index are learned from its documents, no longer hashed. */
export async function waitUntilSpaceIsLearned(service: RunningApp, index: string): Promise<void> {
  const path = `/cortex/indices/${index}`
  const kind = async () => {
    const { vectorSpace } = await service.must<{ vectorSpace: { kind: string } }>('GET', path)
    return vectorSpace.kind
  }
  await waitUntil(async () => (await kind()) === 'learned', LEARNED_MS)
}
