import type { ModelKind, ModelTrained, VersionName } from './model.ts'
import type { ModelStatus } from './statuses.ts'

/** Row of a model as a whole. Times are epoch ms. */
export interface ModelRecord {
  /** Number of the newest version; numbers are never used twice. */
  latest: number
  createdMs: number
  updatedMs: number
}

/** What one gate said, with the figures that it went by. */
export interface GateReport {
  gate: 'HELD_OUT' | 'SHADOW' | 'CANARY'
  outcome: 'pass' | 'refuse' | 'not_yet'
  timeMs: number
  figures: Record<string, unknown>
}

/** What is known of a training; gains are estimates per search on pages of held-out units. */
export interface TrainingFigures {
  trainingId: string
  /** Pages that it learned from, and those that it was measured on. */
  pages: number
  heldOutPages: number
  /** Hits down to which it has seen pages: it ranks no deeper. */
  depth: number
  /** Gain of the order that was shown, and of each kind of model. */
  shown: number
  values: Partial<Record<ModelKind, number>>
  tookMs: number
}

/** How the last training went. */
export interface LastTraining {
  trainingId: string
  modelId: string
  status: ModelTrained['status']
  startedMs: number
  endedMs?: number
  /** Searches with a gain when it began. */
  clicked: number
  /** Searches with a gain that the training before had learned from. */
  before?: number
  /** How many trainings in a row were cut short by the end of the service, this one included. */
  cuts?: number
  version?: number
}

/** Row of one version. What was synced or trained never changes; what became of it does. */
export interface VersionRecord extends VersionName {
  status: ModelStatus
  source: 'SYNC' | 'TRAINING'
  checksum: string
  /** Whether the core can rank with it. */
  servable: boolean
  /** Sentences: why it can't rank, or may not. */
  reasons: string[]
  /** The maker says that it is not ready: an error, or progress below 1. */
  unfinished: boolean
  kind?: ModelKind
  features?: string[]
  createdMs: number
  updatedMs: number
  activatedMs?: number
  /** As the maker sent them, if they are short. */
  metrics?: object
  training?: TrainingFigures
  /** Newest last. */
  gates: GateReport[]
}

/** A version on its way to rank. */
export interface Trial extends VersionName {
  stage: 'SHADOW' | 'CANARY'
  /** A new number for each stage of each trial; evidence is kept under it. */
  number: number
  sinceMs: number
  /** Share of the users whom it ranks in its canary stage, 0..1. */
  share: number
  /** Who ranks the others: `id@version`, or '' when no model does. */
  control: string
  /** Searches that the model had ranked, or scored unseen, when the stage began. */
  base: number
  /** Searches of the stage when the gate was asked last. */
  asked: number
}

/** Which versions rank whom. One row, changed in the same transaction as the versions. */
export interface Standing {
  active?: VersionName
  /** What was active before, newest last. */
  earlier: VersionName[]
  trial?: Trial
  /** Number of the newest trial. */
  trials: number
}

/** How models were used, under `id@version`, or '' for searches that no model ranked. */
export interface ModelUsage {
  searches: number
  /** Searches of somebody; rows of earlier versions lack it, or count those of nobody with a gain, too. */
  clickable?: number
  /** Searches with a gain. */
  clicked: number
  /** Of these, those of nobody: no rate counts them, as nobody knows which others were seen. Absent in earlier rows. */
  clickedOfNobody?: number
  /**
   * Sum of 1/position of the first hit with a gain of somebody's, up to the tenth; in rows of
   * earlier versions, of those behind it too.
   */
  reciprocalRank: number
  /** Searches that it scored in shadow. */
  shadowSearches: number
}

/** What people thought of what one search showed: place in the impression's hits → gain. */
export interface Judgement {
  unit: string
  gains: [number, number][]
}

/** What a unit did while a trial ran. */
export interface TrialUnit {
  arm: 'CANARY' | 'CONTROL'
  searches: number
  clicked: number
  reciprocalRank: number
}
