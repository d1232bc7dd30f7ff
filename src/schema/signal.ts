import { type Static, Type } from 'typebox'
import { DateTime, FreeForm, Id, OneOf, PageQuery, Unread, Word, Words, WordsOf } from './common.ts'
import { SIGNAL_TYPES } from './signal-types.ts'
import { SIGNAL_STATUSES, type SignalStatus } from './statuses.ts'

const Step = Type.Object(
  {
    step: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    duration: Type.Optional(Type.Number()),
    timestamp: Type.Optional(Type.Union([Type.String(), Type.Number({ description: 'epoch ms' })])),
  },
  { additionalProperties: true },
)

const Figure = Type.Optional(Type.Number())
const Name = Type.Optional(Type.String())

/** As it never falls, a slip beyond would stay for good. */
export const ATTEMPTS_MAX = 1_000_000

/** What a processor tells of its work. */
export const SignalMetadata = Type.Object(
  {
    processingTime: Type.Optional(Type.Number()),
    processor: Type.Optional(Type.String()),
    attemptCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: ATTEMPTS_MAX,
        description:
          'attempts so far, this one included, and not raised: only a retry (FAILED to PROCESSING) is one more than before in any case; without it each start of processing adds one, up to the same maximum; never falls',
      }),
    ),
    failureReason: Type.Optional(Type.String()),
    processingSteps: Type.Optional(Type.Array(Step, { maxItems: 1000 })),
    performance: Type.Optional(
      Type.Object(
        { cpuUsage: Figure, memoryUsage: Figure, latency: Figure },
        { additionalProperties: true },
      ),
    ),
    context: Type.Optional(
      Type.Object(
        { environment: Name, version: Name, batchId: Name },
        { additionalProperties: true },
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'at most 64 KiB of JSON, that of all steps of a signal together',
  },
)

const told = {
  type: Type.Optional(
    Type.String({
      maxLength: 128,
      description: `open; SEARCH by default. In any case: ${SIGNAL_TYPES.join(', ')}`,
    }),
  ),
  status: Type.Optional(
    Word(SIGNAL_STATUSES, {
      maxLength: 128,
      description: 'PENDING by default; usual synonyms are taken, too',
    }),
  ),
  metadata: Type.Optional(SignalMetadata),
}

/** One step in the processing of a signal; one that is not known is created. */
export const SignalStep = Type.Object({ signalId: Id, ...told })
export type SignalStep = Static<typeof SignalStep>

/** A new signal, under an id of its own or one that the service makes. */
export const SignalCreate = Type.Object({ signalId: Type.Optional(Id), ...told })

/** Answer to a step. */
export const SignalReceipt = Type.Object({
  signalId: Type.String(),
  type: Type.String(),
  status: OneOf(SIGNAL_STATUSES),
  previousStatus: Type.Union([OneOf(SIGNAL_STATUSES), Type.Null()], {
    description: 'null: the signal was not known before',
  }),
  attemptCount: Type.Integer(),
  updatedAt: DateTime,
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'names that are no field of a signal, and were ignored',
    }),
  ),
})
export type SignalReceipt = Static<typeof SignalReceipt>

/** A signal that others told of, as the store keeps it. */
export interface SignalRecord {
  type: string
  status: SignalStatus
  attemptCount: number
  /** Milliseconds since the epoch. */
  createdMs: number
  updatedMs: number
  /** Of a signal that stands in the journal itself: the number of its entry there. */
  sequence?: number
  /** Of such a one: the journal's own count of it is taken off. Rows of earlier versions are counted twice. */
  isCountedOnce?: true
  /** What was sent, later over earlier; steps are all that came. */
  metadata: Static<typeof SignalMetadata>
}

/** A signal of the service's own that learning could not take. */
export interface DeadSignalRecord {
  type: string
  status: Extract<SignalStatus, 'PENDING' | 'FAILED'>
  attemptCount: number
  failedMs: number
  failureReason: string
}

export const SignalQuery = Type.Object({
  type: Type.Optional(Words),
  status: Type.Optional(WordsOf(SIGNAL_STATUSES)),
  sessionId: Type.Optional(Id),
  ...PageQuery,
})
export type SignalQuery = Static<typeof SignalQuery>

/** A signal in a list. */
export const SignalRow = Type.Object({
  signalId: Type.String(),
  type: Type.String(),
  status: OneOf(SIGNAL_STATUSES),
  source: OneOf(['search', 'feedback', 'analytics', 'models', 'external'], {
    description: 'external: told through this interface',
  }),
  sessionId: Type.Optional(Type.String()),
  attemptCount: Type.Integer(),
  created: DateTime,
  updated: DateTime,
  metadata: Type.Optional(FreeForm),
})
export type SignalRow = Static<typeof SignalRow>

const SignalCounts = Type.Object({
  PENDING: Type.Integer(),
  PROCESSING: Type.Integer(),
  COMPLETED: Type.Integer(),
  FAILED: Type.Integer(),
  IGNORED: Type.Integer(),
})
export type SignalCounts = Static<typeof SignalCounts>

/** A page of the signals, newest first. */
export const SignalList = Type.Object({
  signals: Type.Array(SignalRow),
  counts: Type.Object(SignalCounts.properties, {
    description:
      'all signals by status, whatever was asked for: those of the service since the store was made, also what is past its time and no longer listed; others while they are kept',
  }),
  ...Unread,
  total: Type.Integer({
    description: 'signals that match, on all pages; where nothing was asked for, the sum of counts',
  }),
  complete: Type.Boolean({
    description: 'false: more signals than are counted; of the newest 20000, `total` match',
  }),
  limit: Type.Integer(),
  nextCursor: Type.Optional(Type.String({ description: 'absent on the last page' })),
})
export type SignalList = Static<typeof SignalList>
