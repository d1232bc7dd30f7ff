import { createHash } from 'node:crypto'
import { asObject, ownValue } from '../../object.ts'
import type { ModelKind } from '../../schema/model.ts'
import type { ModelState } from '../../schema/model-state.ts'

/** What the core can make of a synced state. */
export interface StateRead {
  servable: boolean
  /** Why not; sentences. */
  reasons: string[]
  kind?: ModelKind
  features?: string[]
  /** What is in it that does not count; sentences. */
  warnings?: string[]
  /** The core's model as JSON, when it is servable. */
  model?: string
}

/** SHA-256 of a text, as hexadecimal digits. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads a state as a model that ranks by `known` features: a linear one, (weights · (x − mean) / std) + bias, or
 * trees in XGBoost's JSON. A std of 0 is read as 1; lists may be wrapped in one more list, or be maps by feature.
 */
export function readState(state: Record<string, unknown>, known: readonly string[]): StateRead {
  const weights = state.weights
  const reasons: string[] = []
  const isTrees = asObject(asObject(weights)?.learner) !== undefined
  const features = readNames(state, isTrees, known, reasons)
  if (features === undefined) return { servable: false, reasons }
  if (isTrees) {
    const model = JSON.stringify({ kind: 'trees', features, xgboost: weights })
    if (isTooLarge(weights)) reasons.push('Its trees add up to numbers that are too large.')
    const read = outcome(reasons, { kind: 'trees', features, model })
    return isScaled(state.scaler) ? { ...read, warnings: [UNSCALED] } : read
  }
  const scaler = asObject(state.scaler) ?? {}
  const bias = readBias(state.bias, reasons)
  const list = (name: string, value: unknown) => readNumbers(name, value, features, reasons)
  // A mean that no feature needs is none of the model's; a weight is.
  const named = Object.keys(asObject(weights) ?? {}).length
  if (named > features.length) reasons.push(wrongLength('weights', named, features))
  const linear = {
    weights: list('weights', weights),
    ...(scaler.mean == null ? {} : { mean: list('scaler.mean', scaler.mean) }),
    ...(scaler.std == null
      ? {}
      : { std: list('scaler.std', scaler.std)?.map((std) => readStd(std, reasons)) }),
  }
  const model = JSON.stringify({ kind: 'linear', features, bias, ...linear })
  return outcome(reasons, { kind: 'linear', features, model })
}

/** Greatest sum of leaves with which each score is a number; of predictions that are e to the sum, the greatest exponent. */
const LEAVES_MAX = 1e30
const EXPONENT_MAX = 80
const EXPONENTIAL = /^(?:count:poisson|reg:gamma|reg:tweedie|survival:)/

/**
 * Whether the greatest leaves of all trees together leave the range of a score: no search could be ranked by it, and no trial
 * of it would come to an end. Whether they are trees at all the core says.
 */
function isTooLarge(weights: unknown): boolean {
  const learner = asObject(asObject(weights)?.learner)
  const { trees } = asObject(asObject(learner?.gradient_booster)?.model) ?? {}
  if (!Array.isArray(trees)) return false
  const { name } = asObject(learner?.objective) ?? {}
  const sum = trees.reduce((total: number, tree) => total + greatestLeaf(tree), 0)
  return sum > (EXPONENTIAL.test(String(name)) ? EXPONENT_MAX : LEAVES_MAX)
}

function greatestLeaf(tree: unknown): number {
  const { left_children: left, split_conditions: values } = asObject(tree) ?? {}
  if (!Array.isArray(left) || !Array.isArray(values)) return 0
  // Where a node has no child its condition is the leaf's value.
  const leaves = values.map((value, node) => (left[node] === -1 ? Math.abs(Number(value)) : 0))
  return leaves.reduce((most: number, leaf) => Math.max(most, leaf), 0)
}

const UNSCALED =
  'scaler: trees are asked with the features as they come, so it does not count; grow them on unscaled features.'

/** Whether it would change any number. */
function isScaled(scaler: unknown): boolean {
  const { mean, std } = asObject(scaler) ?? {}
  return (
    numbersIn(mean).some((each) => each !== 0) ||
    numbersIn(std).some((each) => each !== 0 && each !== 1)
  )
}

function numbersIn(value: unknown): number[] {
  const held = [asObject(value) === undefined ? value : Object.values(value as object)]
  return (held.flat(2) as unknown[]).filter((each) => typeof each === 'number')
}

/** The state that stands for a model of the core: the same shape as a synced one. */
export function stateOf(model: Record<string, unknown>): ModelState {
  const { kind, features, xgboost, weights, bias, mean, std } = model
  const named = { featureNames: features, hyperparameters: { kind } }
  if (kind === 'trees') return { ...named, weights: xgboost } as ModelState
  return { ...named, weights, bias, scaler: { mean, std } } as ModelState
}

/** Why the maker of a state does not want it to rank yet. */
export function unfinished(state: Record<string, unknown>): string[] {
  const { lastTrainingError, trainingProgress } = state
  const reasons: string[] = []
  if (typeof lastTrainingError === 'string' && lastTrainingError !== '')
    reasons.push('Its training ended with an error (lastTrainingError).')
  if (typeof trainingProgress === 'number' && trainingProgress < 1)
    reasons.push('Its training is not complete (trainingProgress is below 1).')
  return reasons
}

function outcome(
  reasons: string[],
  read: { kind: ModelKind; features: string[]; model: string },
): StateRead {
  if (reasons.length === 0) return { servable: true, reasons, ...read }
  return { servable: false, reasons, kind: read.kind, features: read.features }
}

/** The names of the features; of trees they may stand in the model itself. */
function readNames(
  state: Record<string, unknown>,
  isTrees: boolean,
  known: readonly string[],
  reasons: string[],
): string[] | undefined {
  const own = asObject(asObject(state.weights)?.learner)?.feature_names
  const sent = state.featureNames ?? (isTrees ? own : undefined)
  if (sent === undefined) reasons.push('featureNames is missing.')
  else if (!isNames(sent)) reasons.push('featureNames is not a list of names.')
  else {
    const unknown = [...sent.keys()].filter((at) => !known.includes(sent[at] as string))
    if (unknown.length > 0) reasons.push(unknownNames(unknown, known))
    if (new Set(sent).size < sent.length) reasons.push('featureNames names a feature twice.')
    const misplaced = isTrees && isNames(own) ? misplacedIn(sent, own, known) : []
    if (misplaced.length > 0)
      reasons.push(
        `featureNames has other features than the trees' own feature_names at ${placesOf(misplaced)}: send them in the order of the trees.`,
      )
    return sent
  }
  return undefined
}

/**
 * Where trees were grown on another feature than is named: each would get the numbers of another. Names of theirs that
 * nobody computes (`f0`) stand for whatever is named in their place.
 */
function misplacedIn(
  sent: readonly string[],
  own: readonly string[],
  known: readonly string[],
): number[] {
  return [...sent.keys()].filter((at) => {
    const name = own[at]
    return name !== undefined && name !== sent[at] && known.includes(name)
  })
}

function unknownNames(unknown: number[], known: readonly string[]): string {
  return (
    `The ranker does not compute the features that are named at ${placesOf(unknown)}; ` +
    `it computes ${known.join(', ')}.`
  )
}

const PLACES_SHOWN = 10

/** Names are told by their places: a refusal to activate says it, and repeats nothing that was sent. */
function placesOf(places: readonly number[]): string {
  const shown = places.slice(0, PLACES_SHOWN).map((at) => `featureNames[${at}]`)
  return `${shown.join(', ')}${places.length > PLACES_SHOWN ? ' and more' : ''}`
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
}

/** One finite number for each feature, from a list, a list in a list, or a map by name. */
function readNumbers(
  name: string,
  value: unknown,
  features: string[],
  reasons: string[],
): number[] | undefined {
  const map = asObject(value)
  const wrapped = Array.isArray(value) && value.length === 1 && Array.isArray(value[0])
  const list: unknown = map ? features.map((f) => ownValue(map, f)) : wrapped ? value[0] : value
  if (list === undefined || list === null) reasons.push(`${name} is missing.`)
  else if (!Array.isArray(list)) reasons.push(`${name} is not a list of numbers.`)
  else if (list.length !== features.length) reasons.push(wrongLength(name, list.length, features))
  else if (!list.every((each) => typeof each === 'number'))
    reasons.push(`${name} holds something that is not a number.`)
  else if (!list.every(Number.isFinite)) reasons.push(`${name} holds a number that is not finite.`)
  else return list
  return undefined
}

function wrongLength(name: string, length: number, features: readonly string[]): string {
  return `${name} has ${length} numbers, but there are ${features.length} featureNames.`
}

function readBias(value: unknown, reasons: string[]): number {
  const bias: unknown = Array.isArray(value) && value.length === 1 ? value[0] : (value ?? 0)
  if (typeof bias === 'number' && Number.isFinite(bias)) return bias
  reasons.push('bias is not a finite number.')
  return 0
}

function readStd(std: number, reasons: string[]): number {
  const sentence = 'scaler.std holds a number below 0.'
  if (std < 0 && !reasons.includes(sentence)) reasons.push(sentence)
  return std === 0 ? 1 : std
}
