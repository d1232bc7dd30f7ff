import { ServiceError, serviceError } from '../../errors.ts'
import { type LastingFailures, openLastingFailures } from '../../lasting-failures.ts'
import { isDamage, plainDamage } from '../../store/failure.ts'
import { shownName } from '../../word.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { EngineState, Unopened } from './engine-state.ts'

/** Pause before an index that could not be opened is tried again; twice as long after each failure. */
const AGAIN_MS = 2000
const AGAIN_MS_MAX = 300_000

const UNOPENED =
  'the files of an index could not be opened: see that the service may read and write its folder, or remove it, to have it rebuilt from the records'
const RECORDS_DAMAGED =
  'an index could not be opened: records/data.mdb, which has its documents, is damaged. Put a whole copy in its place'

/** Indices whose files can't be opened, by engine number: each is told of once, however often it is tried again. */
export function openUnread({
  indices,
  log,
}: Pick<EngineState, 'indices' | 'log'>): LastingFailures<number> {
  const about = (engineId: number) => ({
    index: indices.all().find(({ record }) => record.engineId === engineId)?.record.name,
    directory: indices.directory({ engineId }),
  })
  return openLastingFailures(
    (err, engineId) =>
      log.error({ ...about(engineId), err }, isDamage(err) ? RECORDS_DAMAGED : UNOPENED),
    (engineId) =>
      log.info(about(engineId), 'an index whose files could not be opened is open again'),
  )
}

/** What the core could not open is the operator's to mend: the log says which folder and why, health that it is so. */
export function reportUnopened(engine: EngineState, entry: IndexEntry, cause: unknown): unknown {
  if (cause instanceof ServiceError || engine.closing) return cause
  const { name } = entry.record
  if (entry.dropped !== true) noteUnopened(engine, entry)
  engine.unread.failed(entry.record.engineId, isDamage(cause) ? plainDamage(cause) : cause)
  // Without the cause, which each request would have logged again.
  const whose = isDamage(cause)
    ? 'records of its documents are damaged; the log says more'
    : 'its documents are safe, and the log says why'
  return serviceError('UNHEALTHY', `The files of "${shownName(name)}" can't be opened; ${whose}.`)
}

/** Whether something failed because the files of an index can't be opened. */
export function isOfUnopened(cause: unknown): cause is ServiceError {
  return cause instanceof ServiceError && cause.code === 'UNHEALTHY'
}

function noteUnopened(engine: EngineState, entry: IndexEntry): void {
  const { engineId } = entry.record
  // Searches of all go on without it: what they saw with it is another list.
  if (!engine.unopened.has(engineId)) engine.indices.leaveBehind()
  const pauseMs = engine.unopened.get(engineId)?.pauseMs ?? AGAIN_MS
  engine.unopened.set(engineId, { entry, pauseMs, fromMs: performance.now() + pauseMs })
}

/** An index whose time has come to be tried again, if there is one; behind it the pause is twice as long. */
export function dueAgain({ states, unopened }: EngineState): IndexEntry | undefined {
  const isDue = ([engineId, { fromMs }]: [number, Unopened]) =>
    performance.now() >= fromMs && !states.has(engineId)
  const [, due] = [...unopened].find(isDue) ?? []
  if (due !== undefined) due.pauseMs = Math.min(AGAIN_MS_MAX, 2 * due.pauseMs)
  return due?.entry
}
