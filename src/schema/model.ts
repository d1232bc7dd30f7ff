import { type Static, Type } from 'typebox'
import {
  AnyCase,
  DateTime,
  FreeForm,
  Id,
  Moment,
  OneOf,
  PageBounds,
  PageQuery,
  UnreadBody,
  WordsOf,
} from './common.ts'
import { ModelState } from './model-state.ts'
import { MODEL_STATUSES } from './statuses.ts'

/** A state of a model, to be stored as a version of its own. */
export const ModelSync = Type.Object({
  modelId: Id,
  state: ModelState,
  activate: Type.Optional(
    Type.Boolean({
      description:
        'Let it rank at once. A state that can not rank yet is stored as ever, and what ranks stays: the answer has its ' +
        '`status`, every reason, and a warning.',
    }),
  ),
})
export type ModelSync = Static<typeof ModelSync>

const Version = Type.Integer({ minimum: 1 })

/** Which version of the model is meant; the newest, if none is named. */
export const VersionChoice = Type.Object({ version: Type.Optional(Version) })
export type VersionChoice = Static<typeof VersionChoice>

const TRIAL = 'End the trial of another version of it, and let the one that ranks go on.'
/** What is taken back: the version that ranks; one on trial, if none of this model ranks. */
export const ModelRollback = Type.Object({
  trial: Type.Optional(Type.Boolean({ description: TRIAL })),
})
export type ModelRollback = Static<typeof ModelRollback>

/** What the core can rank by, and be asked to train. */
export const MODEL_KINDS = ['linear', 'trees'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]
const Kind = OneOf(MODEL_KINDS)

/** What to train; from everything that is kept, if nothing is said. */
export const ModelTraining = Type.Object({
  modelId: Type.Optional(Id),
  kind: Type.Optional(AnyCase(MODEL_KINDS)),
  since: Type.Optional(Moment),
})
export type ModelTraining = Static<typeof ModelTraining>

export const ModelQuery = Type.Object({
  status: Type.Optional(WordsOf(MODEL_STATUSES)),
  ...PageQuery,
})
export type ModelQuery = Static<typeof ModelQuery>

/** A stored state that is no longer is told without being asked for. */
export const STATE_BYTES_TOLD = 64 << 10

export const ModelRead = Type.Object({
  version: Type.Optional(Version),
  state: Type.Optional(
    Type.Boolean({
      description: `Whether to answer the stored state itself, too; by default if it is no longer than ${STATE_BYTES_TOLD >> 10} KiB.`,
    }),
  ),
})

/** One version of one model. */
export const VersionName = Type.Object({ modelId: Type.String(), version: Version })
export type VersionName = Static<typeof VersionName>

const NamedOrNone = Type.Union([VersionName, Type.Null()])
const Status = OneOf(MODEL_STATUSES)
const Reasons = Type.Array(Type.String())
const Warnings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Names that are no field of the body; why it does not rank, though it is active or was to be; what of it does not count.',
  }),
)

/** What became of a synced state. */
export const ModelSynced = Type.Object({
  modelId: Type.String(),
  version: Version,
  status: Status,
  servable: Type.Boolean(),
  reasons: Type.Optional(Reasons),
  checksum: Type.String({ description: 'SHA-256 of the state as canonical JSON' }),
  previousVersion: Type.Union([Version, Type.Null()]),
  updatedAt: DateTime,
  unchanged: Type.Boolean(),
  warnings: Warnings,
})

/** One version as the service shows it. */
export const ModelVersion = Type.Object({
  version: Version,
  status: Status,
  stage: Type.Optional(OneOf(['SHADOW', 'CANARY'])),
  source: Type.String(),
  kind: Type.Optional(Kind),
  features: Type.Optional(Type.Array(Type.String())),
  servable: Type.Boolean(),
  reasons: Type.Optional(Reasons),
  checksum: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
  activatedAt: Type.Optional(DateTime),
  metrics: Type.Optional(FreeForm),
  training: Type.Optional(FreeForm),
  gates: Type.Array(FreeForm),
  usage: FreeForm,
})

/** A model, its versions, and one of them in full. */
export const ModelShown = Type.Object({
  modelId: Type.String(),
  version: Version,
  status: Status,
  servable: Type.Boolean(),
  active: Type.Union([Version, Type.Null()]),
  createdAt: DateTime,
  updatedAt: DateTime,
  versions: Type.Array(ModelVersion),
  state: Type.Optional(FreeForm),
})

/** The models by their names, each with its newest version. */
export const ModelList = Type.Object({
  models: Type.Array(
    Type.Object({
      modelId: Type.String(),
      version: Version,
      status: Status,
      servable: Type.Boolean(),
      active: Type.Union([Version, Type.Null()]),
      versions: Type.Integer(),
      createdAt: DateTime,
      updatedAt: DateTime,
    }),
  ),
  ...PageBounds,
  active: NamedOrNone,
  trial: Type.Union([FreeForm, Type.Null()]),
})

export const ModelActivated = Type.Object({
  modelId: Type.String(),
  version: Version,
  status: Status,
  previous: Type.Union(NamedOrNone.anyOf, {
    description: 'the version whose place it took; null when none ranked, or this one did already',
  }),
  unchanged: Type.Boolean(),
  updatedAt: DateTime,
  warnings: Warnings,
})

export const ModelRolledBack = Type.Object({
  modelId: Type.String(),
  version: Version,
  status: Status,
  active: NamedOrNone,
  updatedAt: DateTime,
  ...UnreadBody,
})

/** How a training ended, or that it goes on. */
export const ModelTrained = Type.Object({
  modelId: Type.String(),
  trainingId: Type.String(),
  status: OneOf(['RUNNING', 'COMPLETED', 'FAILED', 'NOT_ENOUGH_DATA']),
  needed: Type.Optional(Type.Integer()),
  have: Type.Optional(Type.Integer()),
  version: Type.Optional(Version),
  kind: Type.Optional(Kind),
  training: Type.Optional(FreeForm),
  gate: Type.Optional(FreeForm),
  error: Type.Optional(Type.String()),
  ...UnreadBody,
})
export type ModelTrained = Static<typeof ModelTrained>

/** What the gate said of a version. */
export const ModelGated = Type.Object({
  modelId: Type.String(),
  version: Version,
  status: Status,
  stage: Type.Optional(
    OneOf(['SHADOW', 'CANARY'], {
      description: 'of a version on trial: SHADOW, unseen; CANARY, for a share',
    }),
  ),
  gate: FreeForm,
  ...UnreadBody,
})
export type ModelGated = Static<typeof ModelGated>
