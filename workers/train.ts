import { RELEARNING } from '../src/learn/loop/fold.ts'
import {
  columnsFor,
  gainPerSearch,
  loggedRanker,
  rankerOf,
  upTo,
} from '../src/learn/models/estimate.ts'
import { blankRow, judgedPages, type Page } from '../src/learn/models/pages.ts'
import { stateOf } from '../src/learn/models/state.ts'
import { trainingSet } from '../src/learn/models/training-set.ts'
import type { PlaceChances } from '../src/learn/statistics/place-chances.ts'
import { native } from '../src/native.ts'
import type { ModelKind } from '../src/schema/model.ts'
import type { TrainingFigures } from '../src/schema/model-record.ts'
import { openReader } from '../src/store/reader.ts'
import { type ModelOutput, model } from './model.ts'

// Background work.
native.giveWay(10)

export interface TrainInput {
  dataDir: string
  sinceMs: number
  chances: PlaceChances
  /** Click rate of a document that nobody looked at. */
  priorRate: number
  kinds: readonly ModelKind[]
  /** Pages with a gain that a training needs, held-out ones included. */
  pagesMin: number
  /** Under which the core tries the model. */
  handle: number
}

export interface TrainOutput {
  /** Pages with a gain and features. */
  pages: number
  /** The best of the kinds; absent when there were too few pages. */
  trained?: {
    kind: ModelKind
    /** Its state as it is to be kept: as objects the main thread would copy hundreds of trees, in and out again. */
    state: ModelOutput
    figures: Omit<TrainingFigures, 'trainingId'>
  }
}

/** Pages that a training looks at, the newest; with 20 features and 10 hits they take 15 MB. */
const PAGES_MAX = 20_000
const SEED = 1

/**
 * Learns from what people chose to order hits; the best of the kinds on units that none has seen. Undefined while what
 * they chose is being folded anew: it is not whole then.
 */
export function train(input: TrainInput): TrainOutput | undefined {
  const startedMs = Date.now()
  const names = native.featureNames()
  const reader = openReader(input.dataDir)
  if (reader.mark(RELEARNING) !== undefined) return undefined
  const { sinceMs, chances, kinds, pagesMin, priorRate } = input
  const filter = { blank: blankRow(names, priorRate), chances, sinceMs, limit: PAGES_MAX }
  const seen = judgedPages(reader, { ...filter, heldOut: false })
  const heldOut = judgedPages(reader, { ...filter, heldOut: true, movable: true })
  const pages = seen.length + heldOut.length
  if (pages < pagesMin || seen.length === 0) return { pages }
  const depth = depthOf(seen)
  const values: Partial<Record<ModelKind, number>> = {}
  const models = kinds.map((kind) => {
    const core = trainOne(kind, names, seen)
    const scores = native.predict(core, columnsFor(heldOut, names, names))
    const value = gainPerSearch(heldOut, upTo(depth, rankerOf(heldOut, scores)))
    values[kind] = value
    return { kind, core, value }
  })
  const best = models.reduce((a, b) => (b.value > a.value ? b : a))
  const shown = gainPerSearch(heldOut, loggedRanker)
  const state = stateOf(JSON.parse(best.core) as Record<string, unknown>)
  const counts = { pages: seen.length, heldOutPages: heldOut.length, depth }
  return {
    pages,
    trained: {
      kind: best.kind,
      state: model({ source: { state }, handle: input.handle, keep: false, drop: [] }),
      figures: { ...counts, shown, values, tookMs: Date.now() - startedMs },
    },
  }
}

function trainOne(kind: ModelKind, features: string[], pages: Page[]): string {
  const set = trainingSet(pages, kind === 'trees' ? 'by page' : 'by row')
  const options = JSON.stringify({ kind, features, seed: SEED })
  return native.train(options, set.features, set.labels, set.groups, set.weights)
}

/** Where half of the pages end: what comes after it, a model has hardly seen. */
function depthOf(pages: Page[]): number {
  const ends = pages.map(({ from, gains }) => from + gains.length).sort((a, b) => a - b)
  return ends[Math.floor(ends.length / 2)] ?? 0
}
