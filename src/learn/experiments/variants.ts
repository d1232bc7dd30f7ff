import { invalid } from '../../errors.ts'
import { isObject } from '../../object.ts'
import { Variant } from '../../schema/experiment.ts'
import type { ExperimentKind, ExperimentVariant } from '../../schema/experiment-record.ts'
import { mustReadTuning } from '../plan/tuning.ts'
import { readWeights, TUNABLE } from '../plan/tuning-values.ts'
import { someTold } from '../wire/some-told.ts'
import { bodyOf, unreadFieldsAt } from '../wire/unread-fields.ts'

/** A variant as it was sent. */
export interface SentVariant {
  id?: string
  name?: string
  description?: string
  weight?: number
  allocation?: number
  share?: number
  config?: object
  weights?: unknown
}

export type SentAllocation = number | Record<string, number>

export interface VariantsRead {
  variants: ExperimentVariant[]
  /** Share of all units that are in the test. */
  allocation: number
  warnings: string[]
}

/** A millionth, and what doubles add to it: three times .333333 is 1e-6 short of 1, and in doubles a little more. */
const SUM_ERROR = 1e-6 + 1e-12
/** Ids that start with it are the service's own. */
const OWN_MARK = '@'

const SETTINGS = Object.keys(TUNABLE).filter((name) => !Object.hasOwn(Variant.properties, name))
/** A variant whose share, or whose settings, stand where nobody reads them is another test than was meant. */
const BODY = bodyOf('a variant', Variant, {
  ...Object.fromEntries(SETTINGS.map((name) => [name, `config.${name}`])),
  traffic: 'weight',
  percentage: 'weight',
  percent: 'weight',
  trafficAllocation: 'weight',
  trafficShare: 'weight',
  trafficPercentage: 'weight',
  configuration: 'config',
  settings: 'config',
  parameters: 'config',
  params: 'config',
  variantId: 'id',
  variantName: 'name',
})

/**
 * Reads variants and their shares. Throws VALIDATION_FAILED for ids or names that occur twice and for shares
 * that don't sum to 1 or 100, and for weights of a test that are none; says in `warnings` which parts of a configuration change no ranking.
 */
export function readVariants(
  sent: readonly SentVariant[],
  trafficAllocation: SentAllocation | undefined,
  kind: ExperimentKind,
): VariantsRead {
  const named = sent.map(({ id, name }, at) => {
    const fallback = at === 0 ? 'control' : `variant-${at}`
    return { id: id ?? (name || fallback), name: name || (id ?? fallback) }
  })
  refuseRepeated(named)
  const own = sent.map(ownShare)
  const shares =
    typeof trafficAllocation === 'object' ? sharesByName(named, trafficAllocation) : sharesOf(own)
  const inVain = areInVain(own, shares)
  const warnings = inVain ? [VAIN_SHARES] : []
  const variants = named.map((names, at) => {
    const { [at]: variant = {} } = sent
    const { config = {}, weights } = variant
    warnings.push(...unreadFieldsAt(`variants[${at}]`, variant, BODY))
    if (kind === 'test') refuseWrongWeights(weights, `variants[${at}].weights`)
    const whole = weights === undefined ? config : { ...config, weights }
    const { tuning, unread } = mustReadTuning(whole, `variants[${at}].config`)
    warnings.push(...unreadWarnings(`variant ${names.id}`, unread))
    const said = saidOf(variant, inVain)
    return { ...names, share: shares[at] ?? 0, config: whole, tuning, sent: said }
  })
  return { variants, allocation: allocationOf(trafficAllocation), warnings }
}

/** In an experiment they may be those of anything; in a test they are weights of a search. */
function refuseWrongWeights(weights: unknown, path: string): void {
  if (!isObject(weights)) return
  const problem = readWeights(weights, {}, () => undefined)
  if (problem?.message !== undefined) throw invalid(`${path}${problem.path}`, problem.message)
}

/** What is given back as it was sent; shares that are not used are not. */
function saidOf({ description, weight, allocation }: SentVariant, inVain: boolean) {
  const shares = {
    ...(weight === undefined ? {} : { weight }),
    ...(allocation === undefined ? {} : { allocation }),
  }
  return { ...(description === undefined ? {} : { description }), ...(inVain ? {} : shares) }
}

function ownShare({ weight, allocation, share }: SentVariant, at: number): number | undefined {
  const own = weight ?? allocation ?? share
  // Answers give shares of 1 beside a weight, and to variants without one: sent back, these go together.
  const isAnswered = own !== undefined && share !== undefined && isClose(share, own / 100)
  const others = isAnswered ? { allocation } : { allocation, share }
  for (const [name, other] of Object.entries(others))
    if (other !== undefined && other !== own)
      throw invalid(
        `variants[${at}].${name}`,
        `must be the ${weight === undefined ? 'allocation' : 'weight'}, or not be sent beside it`,
      )
  return isAnswered ? share : own
}

const VAIN_SHARES =
  'variants: trafficAllocation says their shares; the ones that they give themselves are not used.'

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= SUM_ERROR
}

/** Whether variants give themselves shares, in whatever unit, that are others than those in force. */
function areInVain(own: readonly (number | undefined)[], shares: readonly number[]): boolean {
  const whole = own.includes(undefined) ? wholeOf(own) : sumOf(own)
  return own.some((share, at) => {
    if (share === undefined) return false
    return !isClose(share / whole, shares[at] ?? 0)
  })
}

/** What is said of those parts of one configuration that are no settings. */
export function unreadWarnings(owner: string, unread: readonly string[]): string[] {
  const { told, others } = someTold(unread)
  const sentences = told.map((key) => `"${key}" changes no ranking; it is kept and returned.`)
  if (others > 0) sentences.push(`${others} more change no ranking; they are kept and returned.`)
  return sentences.map((sentence) => `${owner}: ${sentence}`)
}

function refuseRepeated(named: readonly { id: string; name: string }[]): void {
  const ids = new Set<string>()
  const names = new Set<string>()
  for (const [at, { id, name }] of named.entries()) {
    if (id.startsWith(OWN_MARK))
      throw invalid(`variants[${at}].id`, `must not start with ${OWN_MARK}`)
    if (ids.has(id)) throw invalid(`variants[${at}].id`, 'must be unique among the variants')
    if (names.has(name)) throw invalid(`variants[${at}].name`, 'must be unique among the variants')
    ids.add(id)
    names.add(name)
  }
}

function sharesByName(
  named: readonly { id: string; name: string }[],
  shares: Record<string, number>,
): number[] {
  const path = 'trafficAllocation'
  for (const key of Object.keys(shares))
    if (!named.some(({ id, name }) => id === key || name === key))
      throw invalid(path, 'must name only variants of the test, each by its id or its name')
  if (Object.keys(shares).length === 0)
    throw invalid(path, 'must hold shares that sum to 1 or to 100')
  const listed = named.map(({ id, name }) => [id, name].find((key) => Object.hasOwn(shares, key)))
  const left = listed.indexOf(undefined)
  if (left >= 0)
    throw invalid(path, `must give a share to every variant, and variants[${left}] has none`)
  return sharesOf(
    listed.map((key) => (key === undefined ? undefined : shares[key])),
    path,
  )
}

/** Shares sum to 1 or to 100; variants without one divide what the others leave. */
function sharesOf(given: readonly (number | undefined)[], path = 'variants'): number[] {
  const shares = given.filter((share) => share !== undefined)
  if (shares.length === 0) return given.map(() => 1 / given.length)
  if (shares.some((share) => !(share >= 0))) throw invalid(path, 'must not hold negative shares')
  if (shares.length < given.length) return withRest(given, given.length - shares.length, path)
  const sum = sumOf(shares)
  const whole = [1, 100].find((total) => isClose(sum, total))
  if (whole === undefined) {
    const shown = Number(sum.toPrecision(9))
    throw invalid(path, `must hold shares that sum to 1 or to 100, and these sum to ${shown}`)
  }
  return shares.map((share) => share / sum)
}

function withRest(given: readonly (number | undefined)[], without: number, path: string): number[] {
  const whole = wholeOf(given)
  // 1 - 0.9 is shown as 0.1.
  const rest = Number((whole - sumOf(given)).toFixed(9))
  if (rest <= SUM_ERROR)
    throw invalid(path, `must leave some of ${whole} to the variants without a share`)
  return given.map((share = rest / without) => share / whole)
}

/** What shares that leave some are shares of: 1, or above it 100. */
function wholeOf(given: readonly (number | undefined)[]): number {
  return sumOf(given) > 1 + SUM_ERROR ? 100 : 1
}

function sumOf(shares: readonly (number | undefined)[]): number {
  return shares.reduce((sum: number, share = 0) => sum + share, 0)
}

/** A number up to 1 is a share of the units, above it a percentage. */
function allocationOf(sent: SentAllocation | undefined): number {
  if (typeof sent !== 'number') return 1
  // Shares that a client added up may lie a rounding error above 1, and mean no percentage.
  return sent > 1 + SUM_ERROR ? sent / 100 : Math.min(1, sent)
}
