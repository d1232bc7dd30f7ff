import { type Static, Type } from 'typebox'
import { Unquoted } from './common.ts'

const Scaler = Type.Object(
  { mean: Type.Optional(Unquoted), std: Type.Optional(Unquoted) },
  { additionalProperties: true },
)

const Figure = Type.Optional(Type.Number())

/** What the maker measured; anything may be added. */
const ModelMetrics = Type.Object(
  {
    accuracy: Figure,
    precision: Figure,
    recall: Figure,
    f1Score: Figure,
    latencyMs: Figure,
    loss: Figure,
    validationAccuracy: Figure,
  },
  { additionalProperties: true },
)

const Hyperparameters = Type.Object(
  { learning_rate: Figure, batch_size: Figure, epochs: Figure },
  { additionalProperties: true },
)

/** The numbers of a model and what is known of their making; any of it may be missing. */
export const ModelState = Type.Object(
  {
    weights: Type.Optional(Unquoted),
    bias: Type.Optional(Unquoted),
    scaler: Type.Optional(Scaler),
    featureNames: Type.Optional(Unquoted),
    metrics: Type.Optional(ModelMetrics),
    hyperparameters: Type.Optional(Hyperparameters),
    currentEpoch: Type.Optional(Type.Number()),
    trainingProgress: Type.Optional(Type.Number({ description: 'Below 1: not ready to rank.' })),
    lastTrainingError: Type.Optional(
      Type.String({ description: 'Not empty: the model may not rank.' }),
    ),
  },
  {
    additionalProperties: true,
    description:
      'A linear model: `weights`, `scaler.mean` and `scaler.std` as lists of one length with `featureNames`. ' +
      'Or trees: an XGBoost JSON model as `weights`.',
  },
)
export type ModelState = Static<typeof ModelState>
