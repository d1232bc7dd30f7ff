import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { native } from '../src/native.ts'
import { MODEL_KINDS, type ModelKind } from '../src/schema/model.ts'
import { gradedNdcg, type JudgedLists, readJudgedLists, selectQueries } from './letor.ts'
import { machineLine, readMachine } from './machine.ts'
import { mean } from './measures.ts'
import { tellPlainly } from './refusal.ts'
import { formatTable } from './table.ts'

const USAGE = `npm run bench:ltr -- [FOLDER] [--choose]

Trains a linear model and trees with the core's defaults on judged lists (rank.train.gz, rank.train.query, rank.test.gz,
rank.test.query) and prints their NDCG (gain 2^label − 1, log2 discount, 1 for a query without relevant documents) on the test part.
  FOLDER    default ../shared/data/letor
  --choose  how the defaults were chosen: cross-validation on the training part alone; the test part is not read`

const DEPTHS = [1, 3, 5, 10]
/** NDCG@10 that the defaults must reach (LightGBM's lambdarank: .753). */
const BARS: Record<ModelKind, number> = { linear: 0.715, trees: 0.745 }
const FOLDS = 5
/** Ways to deal the queries into folds; each trains with a seed of its own. */
const DEALS = 3
const REPEATS = 5

type Options = Record<string, number>

/** What is tried for each kind: every combination. */
const GRID: Record<ModelKind, Record<string, number[]>> = {
  linear: { l2: [0.01, 0.03, 0.1, 0.3, 1, 3] },
  trees: {
    rounds: [100, 200],
    depth: [5, 7],
    eta: [0.05],
    minChildWeight: [10, 30, 60],
    columns: [0.5, 1],
  },
}

tellPlainly()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    choose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else {
  const folder = resolve(positionals[0] ?? '../shared/data/letor')
  const training = readJudgedLists(folder, 'rank.train')
  console.log(machineLine(readMachine()))
  console.log(`${folder}: ${training.groups.length} queries, ${training.labels.length} rows`)
  if (values.choose) {
    for (const kind of MODEL_KINDS) choose(kind, training)
  } else measure(training, readJudgedLists(folder, 'rank.test', training.width))
}

/** Trains with the defaults, prints the figures of the test part and whether they reach the bars. */
function measure(training: JudgedLists, test: JudgedLists): void {
  const rows = MODEL_KINDS.map((kind) => {
    const times: number[] = []
    let model = ''
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const from = performance.now()
      model = train(kind, training, {})
      times.push(performance.now() - from)
    }
    const scores = native.predict(model, test.features)
    const found = DEPTHS.map((depth) => gradedNdcg(test, scores, depth))
    const reached = (found.at(-1) ?? 0) >= BARS[kind]
    if (!reached) process.exitCode = 1
    const bestMs = Math.min(...times)
    return {
      kind,
      found,
      cells: [Math.round(bestMs), BARS[kind].toFixed(3), reached ? 'yes' : 'NO'],
    }
  })
  console.log(
    formatTable([
      ['model', ...DEPTHS.map((depth) => `NDCG@${depth}`), 'training ms', 'bar @10', 'reached'],
      ...rows.map(({ kind, found, cells }) => [kind, ...found.map((x) => x.toFixed(4)), ...cells]),
    ]),
  )
}

/** Prints the cross-validated NDCG@10 of every combination of the grid, best last. */
function choose(kind: ModelKind, training: JudgedLists): void {
  const tried = combinations(GRID[kind]).map((options) => ({
    options,
    ndcg: crossValidated(kind, training, options),
  }))
  console.log(`\n${kind}: NDCG@10 over ${DEALS} × ${FOLDS} folds of the training part`)
  for (const { options, ndcg } of tried.toSorted((a, b) => a.ndcg - b.ndcg))
    console.log(`${ndcg.toFixed(4)}  ${JSON.stringify(options)}`)
}

function crossValidated(kind: ModelKind, training: JudgedLists, options: Options): number {
  const queries = Array.from(training.groups.keys())
  const found: number[] = []
  for (let seed = 1; seed <= DEALS; seed++) {
    const dealt = shuffled(queries, seed)
    for (let fold = 0; fold < FOLDS; fold++) {
      const isHeld = (_query: number, at: number) => at % FOLDS === fold
      const held = selectQueries(training, dealt.filter(isHeld))
      const rest = selectQueries(
        training,
        dealt.filter((query, at) => !isHeld(query, at)),
      )
      const model = train(kind, rest, { seed, ...options })
      found.push(gradedNdcg(held, native.predict(model, held.features), 10))
    }
  }
  return mean(found)
}

/** The values in an order that the seed decides (Fisher–Yates over a linear congruential sequence). */
function shuffled(values: number[], seed: number): number[] {
  const dealt = [...values]
  let state = seed
  for (let at = dealt.length - 1; at > 0; at--) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    const other = Math.floor((state / 2 ** 32) * (at + 1))
    ;[dealt[at], dealt[other]] = [dealt[other] ?? 0, dealt[at] ?? 0]
  }
  return dealt
}

function train(kind: ModelKind, lists: JudgedLists, options: Options): string {
  const features = Array.from({ length: lists.width }, (_, column) => `column${column}`)
  const asked = JSON.stringify({ kind, features, ...options })
  return native.train(asked, lists.features, lists.labels, lists.groups)
}

/** Every way to take one value for each name. */
function combinations(grid: Record<string, number[]>): Options[] {
  return Object.entries(grid).reduce<Options[]>(
    (found, [name, tried]) =>
      found.flatMap((options) => tried.map((value) => ({ ...options, [name]: value }))),
    [{}],
  )
}
