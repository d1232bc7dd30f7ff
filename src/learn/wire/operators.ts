import { invalid } from '../../errors.ts'
import { plainWord } from '../../word.ts'

/**
 * Every operator of the rules that learning reads, with its other spellings as plain words: guardrails, rollback triggers,
 * acceptance thresholds and targeting rules all read these, each those that mean something to it.
 */
export const RULE_OPERATORS = {
  gt: ['>', 'greaterthan', 'morethan', 'above', 'over'],
  gte: ['>=', 'greaterthanorequal', 'greaterthanorequalto', 'atleast'],
  lt: ['<', 'lessthan', 'below', 'under'],
  lte: ['<=', 'lessthanorequal', 'lessthanorequalto', 'atmost'],
  eq: ['==', '=', '===', 'equals', 'equal', 'is'],
  neq: ['!=', '!==', '<>', 'ne', 'not', 'notequals', 'notequal', 'isnot'],
  in: ['any', 'anyof', 'oneof'],
  notIn: ['nin', 'none', 'noneof'],
  exists: [],
  contains: [],
  startsWith: [],
  endsWith: [],
  drop: ['relativedrop'],
  rise: [],
  times: ['ratio'],
  decrease: ['decreases', 'decreasesby', 'down'],
  increase: ['increases', 'increasesby', 'up'],
  min: ['minimum'],
  max: ['maximum'],
  higherIsBetter: ['higher', 'higherbetter', 'maximize'],
  lowerIsBetter: ['lower', 'lowerbetter', 'minimize'],
} as const satisfies Record<string, readonly string[]>

export type RuleOperator = keyof typeof RULE_OPERATORS

/** What others call parts of such a rule. One that is ignored makes the rule another one. */
export const OPERATOR_ELSEWHERE = {
  op: 'operator',
  comparator: 'operator',
  condition: 'operator',
  comparison: 'operator',
}
export const THRESHOLD_ELSEWHERE = { ...OPERATOR_ELSEWHERE, limit: 'threshold', bound: 'threshold' }
export const SAMPLES_ELSEWHERE = {
  samples: 'minSamples',
  sampleSize: 'minSamples',
  minSampleSize: 'minSamples',
  minimumSamples: 'minSamples',
  minimumSampleSize: 'minSamples',
}

const BY_SPELLING = new Map<string, RuleOperator>(
  (Object.keys(RULE_OPERATORS) as RuleOperator[]).flatMap((name) =>
    [name.toLowerCase(), ...RULE_OPERATORS[name]].map((spelling) => [spelling, name] as const),
  ),
)

/**
 * What an operator means, in whatever spelling it came: `meanings` has those that mean something here. Throws
 * VALIDATION_FAILED, which lists these, for any other.
 */
export function readOperator<Meaning>(
  sent: unknown,
  path: string,
  meanings: Readonly<Partial<Record<RuleOperator, Meaning>>>,
): Meaning {
  const operator = BY_SPELLING.get(plainWord(sent))
  const meaning = operator === undefined ? undefined : meanings[operator]
  if (meaning === undefined)
    throw invalid(path, `must be one of ${Object.keys(meanings).map(withSign).join(', ')}`)
  return meaning
}

/** Whether any rule reads it as an operator. */
export function isOperator(word: string): boolean {
  return BY_SPELLING.has(plainWord(word))
}

function withSign(name: string): string {
  const [sign = ''] = RULE_OPERATORS[name as RuleOperator]
  return /^\W+$/.test(sign) ? `${name} (${sign})` : name
}
