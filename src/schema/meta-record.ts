import type { LastTraining, Standing } from './model-record.ts'
import type { SignalCounts } from './signal.ts'

/**
 * Facts about the store and its parts, each a row of the table `meta` under the name that it has here, so that no two
 * parts take the same one. In a store that is new, or of an earlier version, any of them is missing.
 */
export interface MetaRows {
  /** Version of the tables, see store/tables.ts. */
  format: number
  owner: Owner
  /** Number of the newest entry of the journal, kept or removed. */
  journal: number
  /** The same of the history of learning. */
  events: number
  /** Rows of the one or the other before which the clock was set back, see store/time-order.ts. */
  [order: `${string} set back`]: number[]
  /** Number of the newest change of a document, in whichever index. */
  sequence: number
  /** Number that an index, or its folder, got last. */
  lastNumber: number
  /** Marks of the files of an index, see search/engine/marks.ts. */
  [files: `files/${string}`]: string[]
  /** Up to which entry of the journal consumers are on the disk, see learn/loop/fold.ts; groups of them beside it. */
  learned: number
  [group: `learned/${string}`]: number
  /** There while learning is folded anew: up to which entry that is on the disk. */
  relearning: number
  /** Whether retention has removed some of what learning is folded of. */
  'log cut': boolean
  /** Who is being forgotten; stores of earlier versions have names alone. */
  forgetting: (Forgetting | string)[]
  tally: TallyFigures
  /** Number of the last flush of what sessions did. */
  totals: number
  /** The hour of searches or feedback that has joined no day yet, see learn/patterns/top-rows.ts. */
  [hour: `newest hour of ${string}`]: number
  /** Signals of the journal that were taken, events of models among them, and those that others told of, by status. */
  signalsTaken: number
  modelSignals: number
  signalsTold: SignalCounts
  /** Which versions of models rank. */
  models: Standing
  modelTraining: LastTraining
  /** How people look, as it is reckoned with, see learn/memory/examination.ts. */
  'examination in use': ExaminationInUse
  /** Somebody's searches with a gain. */
  modelClicks: number
  /** Number of the newest version of the ranking. */
  rankingVersions: number
  adaptationStatuses: CountsByStatus
  suggestionStatuses: CountsByStatus
}

type CountsByStatus = Record<string, number>

/** Who writes to a store: enough to tell a living process from one that crashed and whose id was given away again. */
export interface Owner {
  pid: number
  /** Start of the process as it sees it itself, in ms; differs between two processes of one id. */
  origin: number
  /** Start of the process as the system sees it; absent where the system doesn't say. */
  started?: string
  /** Which file it writes to: a copy of the store has no owner. */
  file: string
}

/** Somebody who is being forgotten: in the store until that is done, so that a start goes on with it. */
export interface Forgetting {
  subject: string
  /** What they taught up to this entry of the journal is taken out; absent: all has yet to be learned anew. */
  unlearnedTo?: number
  /** Until then: the same of what is not learned anew. */
  uncountedTo?: number
}

/** How likely people are taken to look at places. */
export interface ExaminationInUse {
  eta: number
  /** The first places; absent where η alone says it. */
  places?: readonly number[]
  /** The setting that it began with. */
  expected: number
  /** Clicks of which it was reckoned. */
  reckoned: number
  /** The last clicks, which are not among these; rows of earlier versions have none. */
  held?: HeldClick[]
}

/** A click on a drawn order, as long as its session may still turn out to be no honest one. */
export interface HeldClick {
  sessionId: string
  /** Day since the epoch. */
  day: number
  /** Where the hit was clicked, and where it belonged, from 0. */
  place: number
  own: number
  /** How likely the draw put it at each of the first places. */
  chances: number[]
}

/** What learning has taken since the store was made. */
export interface TallyFigures {
  searches: number
  /** Entries by status: learned, duplicate, unmatched, late. */
  feedback: Record<string, number>
  analytics: number
}
