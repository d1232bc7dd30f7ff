import { type TProperties, type TSchema, Type } from 'typebox'
import { DateTime, FreeForm, OneOf } from './common.ts'

const PartWith = <Metrics extends TSchema>(metrics: Metrics) =>
  Type.Object({
    operational: Type.Boolean(),
    latency: Type.Number({ description: 'ms that the check took' }),
    metrics,
    error: Type.Optional(Type.String()),
  })
const Part = PartWith(FreeForm)

/** Figures of a part, of which one that does not work has none. */
const Figures = (named: TProperties) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(named).map(([name, figure]) => [name, Type.Optional(figure)]),
    ),
    { additionalProperties: true },
  )
const Bytes = Type.String({ description: 'as in 12.5MB' })
const Services = Type.Object({
  searchEngine: PartWith(
    Figures({
      cluster: Type.Object({
        status: OneOf(['green', 'yellow', 'red']),
        nodes: Type.Integer(),
      }),
    }),
  ),
  database: PartWith(
    Figures({
      connections: Type.Object({ active: Type.Integer(), idle: Type.Integer() }),
      writable: Type.Boolean({
        description: 'false while writes are refused, as there is no room',
      }),
    }),
  ),
  cache: PartWith(Figures({ memory: Type.Object({ used: Bytes, peak: Bytes }) })),
})

/** Health of the search component. */
export const CortexHealthReport = Type.Object({
  timestamp: DateTime,
  services: Services,
  overall: Type.Boolean({ description: 'true only when every service is operational' }),
})

const Eta = Type.Union([Type.Number(), Type.Null()])

const ExaminationFigures = Type.Object(
  {
    inUse: Type.Number(),
    places: Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    eta: Eta,
    low: Eta,
    high: Eta,
    samples: Type.Integer(),
  },
  {
    description:
      'Position p is looked at with probability 1/p^η: the η in use, which goes from what is expected to what clicks say, the more of them the faster; the chances in use of the first ten positions, which are others where clicks show that; the η that clicks on drawn orders show, with its 95 % interval; and how many they are.',
  },
)

const Score = (description: string, samples: string) =>
  Type.Object(
    {
      score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
        description: 'null while there is too little data',
      }),
      status: OneOf(['GOOD', 'FAIR', 'POOR', 'INSUFFICIENT_DATA']),
      samples: Type.Integer({ description: samples }),
    },
    { description },
  )

/** Health of the learning component. */
export const NousHealthReport = Type.Object({
  timestamp: DateTime,
  models: Type.Object({
    serving: Part,
    training: PartWith(Figures({ examination: ExaminationFigures })),
    adaptation: Part,
  }),
  learning: Type.Object({
    effectiveness: Score(
      'Over seven days, of lists whose first page learning moved (click memory, models, changes): clicks as a share of these and of those that the same hits would have had in the order without it, by how likely people look at places (`examination`). 0.5: no difference; 2/3: twice as many. From 0.51 on GOOD, from 0.47 on FAIR. An estimate; a test is the proof.',
      'clicks on such lists; from 100 on there is a score',
    ),
    convergence: Score(
      'How far click memory has settled: 1 minus the share of its values that the evidence of today (UTC) moved.',
      'pairs of query and document known before today; from 20 on there is a score',
    ),
    stability: Score(
      'Share of the changes that people met (models activated, adaptations, experiments), as long as history is kept, that were not rolled back.',
      'such changes; from 3 on there is a score',
    ),
  }),
  overall: Type.Boolean({ description: 'true when every models entry is operational' }),
})
