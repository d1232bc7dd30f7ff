import { invalid, serviceError } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import { AssignmentRequest } from '../../schema/experiment.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import { strangerOf, unitOfSession } from '../sessions/glimpse.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoTime } from '../wire/moment.ts'
import { bodyOf } from '../wire/unread-fields.ts'
import type { PlainResult } from './plain-result.ts'
import type { Register } from './register.ts'
import { INTERLEAVED, place, prepare } from './running.ts'
import type { Target } from './targeting.ts'
import { hasEnded } from './transitions.ts'
import { EXPERIMENTS, TESTS, unknownExperiment } from './unknown.ts'
import { isDueToStart, waitingText } from './waiting.ts'

/** Throws the kind's …_NOT_FOUND. */
export function mustFind(register: Register, kind: ExperimentKind, id: string): ExperimentRecord {
  const record = register.find(oneSpelling(id))
  if (record?.kind === kind) return record
  throw unknownExperiment(kind)
}

/** Whose variant is asked for is the session's alone: a user beside it is told of. */
export const ASSIGNED = bodyOf('an assignment', AssignmentRequest, {
  userId: 'sessionId',
  unit: 'sessionId',
  id: 'testId',
  name: 'testName',
  experimentId: 'testId',
  experimentName: 'testName',
  test: 'testName',
})

/** Learning experiments have variants, too. Throws TEST_NOT_FOUND, or VALIDATION_FAILED when id and name mean two. */
export function findAssigned(
  register: Register,
  { testId, testName }: AssignmentRequest,
): ExperimentRecord {
  if (testId !== undefined) {
    const record = register.find(oneSpelling(testId))
    if (record === undefined) throw unknownExperiment('test', 'testId')
    return mustBeCalled(record, testName, 'testName')
  }
  if (testName === undefined) throw invalid('testName', 'is required, or testId')
  const record = namedEither(register, testName, ['test', 'experiment'])
  if (record === undefined)
    throw invalid('testName', `is not the name of a test; ${TESTS}`, 'TEST_NOT_FOUND')
  return record
}

/** Results of tests are taken, too. Throws EXPERIMENT_NOT_FOUND, or VALIDATION_FAILED as above. */
export function findReported(
  register: Register,
  sent: Pick<PlainResult, 'experimentId' | 'experimentName' | 'kinds'>,
): ExperimentRecord {
  const { experimentId, experimentName, kinds } = sent
  if (experimentId === undefined && experimentName === undefined)
    throw invalid('experimentId', 'is required, or experimentName')
  const record =
    experimentId === undefined
      ? namedEither(register, experimentName ?? '', kinds)
      : register.find(oneSpelling(experimentId))
  if (record !== undefined) return mustBeCalled(record, experimentName, 'experimentName')
  const [path, what] =
    experimentId === undefined ? ['experimentName', 'name'] : ['experimentId', 'id']
  const sentence = `is not the ${what} of an experiment or a test; ${EXPERIMENTS}`
  throw invalid(path as string, sentence, 'EXPERIMENT_NOT_FOUND')
}

/** Names are taken among tests, and among experiments: of two, that of the first kind is meant. */
function namedEither(
  register: Register,
  name: string,
  [first, second]: readonly [ExperimentKind, ExperimentKind],
): ExperimentRecord | undefined {
  return register.named(first, name) ?? register.named(second, name)
}

/** What an id found, when a name that was sent beside it means the same. */
function mustBeCalled(
  record: ExperimentRecord,
  name: string | undefined,
  path: string,
): ExperimentRecord {
  if (name === undefined || name === record.name) return record
  throw invalid(path, 'is not the name of what the id means; send one of them')
}

/** Says what to do about it, too. */
export function notActive(record: ExperimentRecord, nowMs: number): Error {
  const { kind, status } = record
  const sentence = `The ${kind} is not active: it is ${status}; ${wayOn(record, nowMs)}.`
  return serviceError('NOT_ACTIVE', sentence, {
    details: [{ path: 'status', message: `is ${status}` }],
  })
}

function wayOn(record: ExperimentRecord, nowMs: number): string {
  const { kind, status, held, startMs } = record
  const verb = kind === 'test' ? 'resume' : 'activate'
  if (hasEnded(record)) return 'it has ended, and only a new one can go on'
  if (status === 'PAUSED') return `${verb} it first`
  if (isDueToStart(record, nowMs)) return `it ${waitingText(record)}`
  return held ? `${verb} starts it` : `it starts at ${isoTime(startMs)}, or when you ${verb} it`
}

/** Of whom a client speaks. */
interface Meant {
  unit: string | undefined
  target: Target
  /** Nothing is known of a session: whether the rules of a test mean the unit can't be said. */
  isStranger: boolean
}

/** The unit that is named, else the session's user, else the session, which need not exist; one that does stays alive by it. */
export function unitMeant(
  { unit, sessionId }: { unit?: string | undefined; sessionId?: string | undefined },
  sessions: Pick<Sessions, 'peek' | 'touch'>,
): Meant {
  const session = sessionId === undefined ? undefined : sessions.peek(sessionId)
  if (sessionId !== undefined) sessions.touch(sessionId)
  const named = unit ?? (session === undefined ? sessionId : unitOfSession(session))
  const target = session ?? strangerOf(sessionId ?? '', unit)
  return { unit: named, target, isStranger: session === undefined }
}

/** The variant of this id, or name. Throws VALIDATION_FAILED. */
export function armNamed(
  { mode, variants }: ExperimentRecord,
  variantId: string | undefined,
): number | undefined {
  if (variantId === undefined) return undefined
  if (mode === 'interleaving' && variantId === INTERLEAVED) return 0
  const byId = variants.findIndex(({ id }) => id === variantId)
  const at = byId < 0 ? variants.findIndex(({ name }) => name === variantId) : byId
  if (at < 0) throw invalid('variantId', 'must be the id or the name of one of its variants')
  return at
}

/**
 * The variant that is named, else the one that the unit is in; undefined of a unit outside: it is shown control, whose
 * name clients send back. Throws VALIDATION_FAILED.
 */
export function armMeant(
  record: ExperimentRecord,
  named: number | undefined,
  { unit, target, isStranger }: Meant,
): number | undefined {
  if (unit === undefined) {
    if (named === undefined) throw invalid('variantId', 'is required without a unit or a session')
    return named
  }
  const { inExperiment, arm, reason } = place(prepare(record), unit, target)
  if (inExperiment) return named ?? arm
  // Who names the variant of a unit alone has seen its session.
  return isStranger && reason === 'targeting' ? named : undefined
}
