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

const COLOURS = ['black', 'white', 'silver', 'green', 'olive', 'purple']
const MAKERS = ['Arbor', 'Birch', 'Cedar', 'Dahlia', 'Elder', 'Fern', 'Grove', 'Hazel', 'Iris']
/** Documents that `goodsOf` makes of each thing. */
export const GOODS_OF_EACH = COLOURS.length * MAKERS.length

/** Documents of each thing by each maker in each colour, in their titles; of six things, enough to learn a space from. */
export function goodsOf(things: readonly string[]): { document: { title: string } }[] {
  return things.flatMap((thing) =>
    COLOURS.flatMap((colour) =>
      MAKERS.map((maker) => ({ document: { title: `${maker} ${thing} ${colour}` } })),
    ),
  )
}
