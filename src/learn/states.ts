import { serviceError } from '../errors.ts'
import type {
  AdaptationStatus,
  ExperimentStatus,
  ModelStatus,
  SignalStatus,
  SuggestionStatus,
  TEST_STATUSES,
} from '../schema/statuses.ts'

type Steps<Status extends string> = Record<Status, readonly Status[]>

/** Every resource with a status: from which state it may go to which. */
export const MACHINES = {
  signal: {
    PENDING: ['PROCESSING', 'COMPLETED', 'FAILED', 'IGNORED'],
    PROCESSING: ['COMPLETED', 'FAILED'],
    FAILED: ['PROCESSING'],
    COMPLETED: [],
    IGNORED: [],
  },
  test: {
    DRAFT: ['ACTIVE', 'STOPPED', 'FAILED'],
    ACTIVE: ['PAUSED', 'COMPLETED', 'STOPPED', 'FAILED'],
    PAUSED: ['ACTIVE', 'COMPLETED', 'STOPPED', 'FAILED'],
    COMPLETED: [],
    STOPPED: [],
    FAILED: [],
  },
  experiment: {
    DRAFT: ['ACTIVE', 'STOPPED', 'FAILED'],
    ACTIVE: ['PAUSED', 'COMPLETED', 'STOPPED', 'FAILED', 'ROLLED_BACK'],
    PAUSED: ['ACTIVE', 'COMPLETED', 'STOPPED', 'FAILED', 'ROLLED_BACK'],
    COMPLETED: [],
    STOPPED: [],
    FAILED: [],
    ROLLED_BACK: [],
  },
  model: {
    CANDIDATE: ['SHADOW', 'ACTIVE', 'REJECTED', 'ARCHIVED'],
    SHADOW: ['ACTIVE', 'REJECTED', 'ARCHIVED'],
    ACTIVE: ['ARCHIVED', 'REJECTED'],
    ARCHIVED: ['SHADOW', 'ACTIVE'],
    REJECTED: ['ACTIVE'],
  },
  suggestion: {
    PENDING: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
    ACCEPTED: ['APPLIED', 'EXPIRED'],
    REJECTED: [],
    APPLIED: [],
    EXPIRED: [],
  },
  adaptation: {
    PENDING: ['VALIDATING', 'REJECTED', 'FAILED'],
    VALIDATING: ['CANARY', 'REJECTED', 'FAILED'],
    CANARY: ['ACTIVE', 'ROLLED_BACK', 'SUPERSEDED', 'FAILED'],
    ACTIVE: ['ROLLED_BACK', 'SUPERSEDED', 'FAILED'],
    // A rollback of what took its place.
    SUPERSEDED: ['ACTIVE'],
    REJECTED: [],
    ROLLED_BACK: [],
    FAILED: [],
  },
} as const satisfies {
  signal: Steps<SignalStatus>
  test: Steps<(typeof TEST_STATUSES)[number]>
  experiment: Steps<ExperimentStatus>
  model: Steps<ModelStatus>
  suggestion: Steps<SuggestionStatus>
  adaptation: Steps<AdaptationStatus>
}

export type Machine = keyof typeof MACHINES
type State<M extends Machine> = Extract<keyof (typeof MACHINES)[M], string>

/** Whether a resource in one state may go to another. */
export function mayMove<M extends Machine>(machine: M, from: State<M>, to: State<M>): boolean {
  return statesAfter(machine, from).includes(to)
}

/** None where a row says a state that the table does not know. */
function statesAfter<M extends Machine>(machine: M, from: State<M>): readonly string[] {
  const states: Record<string, readonly string[]> = MACHINES[machine]
  return states[from] ?? []
}

/**
 * Whether a step is taken: the same state again is `unchanged`, an allowed step is `moved`; anything else throws
 * INVALID_TRANSITION and says what would be allowed, and `advice`.
 */
export function move<M extends Machine>(
  machine: M,
  from: State<M>,
  to: State<M>,
  advice = '',
): 'moved' | 'unchanged' {
  if (from === to) return 'unchanged'
  if (mayMove(machine, from, to)) return 'moved'
  const next = statesAfter(machine, from)
  const allowed = next.length === 0 ? 'this state is final' : `from here: ${next.join(', ')}`
  throw serviceError(
    'INVALID_TRANSITION',
    `${/^[aeiou]/.test(machine) ? 'An' : 'A'} ${machine} that is ${from} can't become ${to}; ${allowed}.${advice}`,
    { details: [{ path: 'status', message: `${from} → ${to} is not allowed` }] },
  )
}
