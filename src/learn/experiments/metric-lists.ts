import { invalid } from '../../errors.ts'
import { asObject, isObject } from '../../object.ts'
import { EXPERIMENT_RULES_MAX } from '../../schema/experiment-rules.ts'
import { shownName } from '../../word.ts'
import { mustNameMetric } from '../wire/metric-names.ts'

/** A name, or an object with one, and where it was sent. */
type Placed = readonly [path: string, sent: unknown]

/**
 * Names of metrics in any of the forms that lists of them have: a name, a list of names or of objects with one,
 * `{primary, secondary}`, or a map whose keys are the names. Throws VALIDATION_FAILED with the place of what is none.
 */
export function readMetricNames(sent: unknown, path: string): string[] {
  if (sent === undefined) return []
  const placed = isObject(sent) ? membersOf(sent, path) : listed(sent, path)
  if (placed.length > EXPERIMENT_RULES_MAX)
    throw invalid(path, `must hold at most ${EXPERIMENT_RULES_MAX} metrics`)
  return placed.map(nameOf)
}

function membersOf(object: Record<string, unknown>, path: string): Placed[] {
  const { primary, secondary } = object
  if (primary === undefined && secondary === undefined)
    return listed(Object.keys(object), path, (name) => `.${shownName(String(name))}`)
  return [...listed(primary, `${path}.primary`), ...listed(secondary, `${path}.secondary`)]
}

/** No more of them than show that there are too many: there may be hundreds of thousands. */
function listed(
  sent: unknown,
  path: string,
  place = (_: unknown, at: number) => `[${at}]`,
): Placed[] {
  if (sent === undefined) return []
  if (!Array.isArray(sent)) return [[path, sent]]
  const some = sent.slice(0, EXPERIMENT_RULES_MAX + 1)
  return some.map((each, at) => [`${path}${place(each, at)}`, each])
}

function nameOf([path, sent]: Placed): string {
  const object = asObject(sent)
  if (object === undefined) return mustNameMetric(sent, path)
  const { metric, name = metric } = object
  return mustNameMetric(name, `${path}.name`)
}
