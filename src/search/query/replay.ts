import type { Config } from '../../config.ts'
import { NOTHING_ADDED } from '../../schema/plan.ts'
import { sharedMs } from '../../shared-clock.ts'
import type { SearchInput } from '../../threads/pool.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { packAdded } from './added-scores.ts'
import { deadlineOf } from './deadline.ts'
import { pageIndex, type Replayable } from './job.ts'

/** What is kept of a search that was shown, as far as it decides the list. */
export interface KeptSearch extends Replayable {
  generation: number
  /** Hits before the first one. */
  from: number
  exploration?: { seed: number; temperature: number; relative: boolean; explored: boolean }
  interleaved?: { testId: string; seed: number }
}

export interface Replayed {
  hits: { id: string; index: string; score: number }[]
  total: number
}

/** The worker's job that runs a shown search again over the view that it saw. */
export function replayJob(
  shown: KeptSearch,
  entries: IndexEntry[],
  config: Pick<Config, 'dataDir' | 'requestTimeoutMs'>,
): SearchInput {
  const startedMs = sharedMs()
  const { generation, exploration, interleaved, otherRequest, otherAdded, dealt } = shown
  const added = shown.added === undefined ? undefined : packAdded(shown.added)
  return {
    dataDir: config.dataDir,
    indices: entries.map(pageIndex),
    request: atGeneration(shown.request, generation),
    vector: shown.vector === undefined ? undefined : floats(shown.vector),
    fields: [],
    highlight: undefined,
    listText: '',
    list: 0,
    shownBefore: shown.from,
    lacksVector: false,
    startedMs,
    endsMs: deadlineOf(startedMs, config),
    context: '{"replay":true',
    told: undefined,
    added,
    evidence: undefined,
    draw: exploration?.explored === true ? exploration : undefined,
    interleaved:
      otherRequest === undefined || dealt === undefined
        ? undefined
        : {
            // A list of one hit was not dealt.
            ...(interleaved ?? { testId: '', seed: 0 }),
            variantIds: undefined,
            ...dealt,
            evidence: undefined,
            request: JSON.stringify(otherRequest),
            // What is dealt has no pins that a draw must leave.
            added: otherAdded === undefined ? added : { ...otherAdded, pins: false },
          },
    recorded: false,
  }
}

/** The `Replayable` of a worker's job, as JSON. What was added to scores is kept packed, as it is in the job. */
export function replayJson(input: SearchInput): string {
  const { indices, request, interleaved, vector, added } = input
  let ids = ''
  for (const { indexId } of indices) ids += ids === '' ? indexId : `,${indexId}`
  let json = `{"indices":[${ids}],"request":${request}`
  if (interleaved !== undefined) {
    const { from, size, depth, variantIds } = interleaved
    const dealt = JSON.stringify({ from, size, depth, variantIds })
    json += `,"otherRequest":${interleaved.request},"dealt":${dealt}`
    if (interleaved.added !== added) {
      const { documents, values, count } = interleaved.added ?? NOTHING_ADDED
      json += `,"otherAdded":${JSON.stringify({ documents, values, count })}`
    }
  }
  if (vector !== undefined) json += `,"vector":"${base64(vector)}"`
  if (added !== undefined) json += `,"addedTo":[${added.documents}],"addedValues":"${added.values}"`
  return `${json}}`
}

function base64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

function atGeneration(request: object, generation: number): string {
  return JSON.stringify({ ...request, generation })
}

function floats(base64: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)
}
