import { serviceError } from '../../errors.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import type { EventReport, Events } from '../history/events.ts'
import { refuseUninterleavable } from './interleavable.ts'
import { isRunning, type Running, runningOf } from './running.ts'
import { openSizeLimit } from './size-limit.ts'
import { type Change, eventWordOf, movedTo, moveOf } from './transitions.ts'

/** Every test and experiment, on the disk and in memory. */
export interface Register {
  find: (id: string) => ExperimentRecord | undefined
  all: () => IterableIterator<ExperimentRecord>
  /** What searches meet: swapped whole when something changed. */
  running: () => readonly Running[]
  named: (kind: ExperimentKind, name: string) => ExperimentRecord | undefined
  /** Throws NAME_TAKEN, LIMIT_REACHED. */
  add: (record: ExperimentRecord) => Promise<ExperimentRecord>
  /**
   * Takes an experiment to a state, with an event. Throws EXPERIMENT_NOT_FOUND, for a test that is gone, too,
   * INVALID_TRANSITION, LIMIT_REACHED, VALIDATION_FAILED for one to be started whose rankings can't be dealt.
   * The state that it is in already changes nothing.
   */
  steer: (id: string, change: Change) => Promise<ExperimentRecord>
  /** Changes what is not its state; `alter` gives undefined when there is nothing to change. */
  alter: (id: string, alter: Alter) => Promise<ExperimentRecord | undefined>
  /** Inside a transaction: forgets an experiment; `drop` when that is on the disk. */
  removeWithin: (record: ExperimentRecord) => void
  drop: (id: string) => void
  /** Characters of JSON that all have together; see size-limit.ts. */
  characters: () => number
  /** Fallbacks whose time is over apply no more. */
  refresh: () => void
}

export type Alter = (
  record: ExperimentRecord,
) => { record: ExperimentRecord; event?: string } | undefined

export interface RegisterParts {
  store: Store
  events: Events
  clock: () => number
}

/** Tests and experiments kept; the oldest finished ones go first. */
export const EXPERIMENTS_MAX = 10_000
/** Each costs a search about a microsecond. */
const ACTIVE_MAX = 100

/** What is known of every record in memory, and the one way to change it. */
function openRecords({ store, events, clock }: RegisterParts) {
  const { experiments } = store.tables
  const records = new Map<string, ExperimentRecord>()
  const size = openSizeLimit()
  for (const { value } of experiments.range()) keep(value)
  // Written by a transaction whose commit is awaited: those after it must count them.
  const underWay = new Map<string, ExperimentRecord>()
  let running = runningOf(records.values(), clock())

  function keep(record: ExperimentRecord): void {
    records.set(record.id, record)
    size.keep(record)
  }
  function refresh(): void {
    running = runningOf(records.values(), clock())
  }
  return {
    records,
    characters: size.total,
    measure: size.measure,
    drop: (id: string): void => {
      records.delete(id)
      size.drop(id)
    },
    running: (): readonly Running[] => running,
    refresh,
    putWithin: (record: ExperimentRecord, words: readonly string[]): void => {
      experiments.put(record.id, record)
      for (const word of words) events.recordWithin(eventOf(record, word))
      underWay.set(record.id, record)
    },
    refuseMoreActive: (): void => {
      const runs = (record?: ExperimentRecord) =>
        Number(record !== undefined && isRunning(record, clock()))
      let count = running.length
      for (const [id, record] of underWay) count += runs(record) - runs(records.get(id))
      if (count >= ACTIVE_MAX)
        throw serviceError(
          'LIMIT_REACHED',
          `At most ${ACTIVE_MAX} tests and experiments may be active at the same time, with those whose fallbackConfig applies: pause, stop or deactivate one first.`,
        )
    },
    refuseMoreLetters: (record: ExperimentRecord) =>
      size.refuseMore([...underWay.values(), record]),
    write: async <T extends ExperimentRecord | undefined>(
      work: () => T,
      commit = store.write,
    ): Promise<T> => {
      let written: T | undefined
      try {
        const record = await commit(() => {
          written = work()
          return written
        })
        if (record !== undefined) {
          keep(record)
          refresh()
        }
        return record
      } finally {
        if (written !== undefined && underWay.get(written.id) === written)
          underWay.delete(written.id)
      }
    },
  }
}

export function openRegister(parts: RegisterParts): Register {
  const { store, clock } = parts
  const { experiments, experimentNames } = store.tables
  const { records, running, refresh, putWithin, write, characters, drop, ...refusing } =
    openRecords(parts)
  const { refuseMoreActive, refuseMoreLetters, measure } = refusing
  return {
    find: (id) => records.get(id),
    all: () => records.values(),
    running,
    named: (kind, name) => {
      const id = experimentNames.get([kind, name])
      return id === undefined ? undefined : records.get(id)
    },
    add: async (record) => {
      await measure(record)
      return write(() => {
        const { kind, name, id, status } = record
        if (experimentNames.has([kind, name]))
          throw serviceError(
            'NAME_TAKEN',
            'There is one of this name already, and names stay taken: choose another.',
            { details: [{ path: 'name', message: 'is taken' }] },
          )
        if (experiments.count() >= EXPERIMENTS_MAX)
          throw serviceError(
            'LIMIT_REACHED',
            `There are ${EXPERIMENTS_MAX} tests and experiments already: stop some; those that ended longest ago go by themselves to make room.`,
          )
        refuseMoreLetters(record)
        if (status === 'ACTIVE') refuseMoreActive()
        experimentNames.put([kind, name], id)
        putWithin(record, status === 'ACTIVE' ? ['CREATED', 'STARTED'] : ['CREATED'])
        return record
      })
    },
    steer: (id, change) =>
      write(
        () => {
          const record = mustFind(experiments.get(id))
          if (change.from !== undefined && record.status !== change.from) return record
          if (moveOf(record, change.to, clock()) === 'unchanged') return record
          if (change.to === 'ACTIVE') {
            refuseUninterleavable(record)
            refuseMoreActive()
          }
          const moved = movedTo(record, change, clock())
          putWithin(moved, [eventWordOf(record, change.to)])
          return moved
        },
        // What is to end may do harm.
        change.to === 'ACTIVE' ? store.write : store.release,
      ),
    alter: (id, alter) =>
      write(() => {
        const record = experiments.get(id)
        const altered = record === undefined ? undefined : alter(record)
        if (altered !== undefined)
          putWithin(altered.record, altered.event === undefined ? [] : [altered.event])
        return altered?.record
      }),
    removeWithin: ({ id, kind, name }) => {
      experiments.remove(id)
      experimentNames.remove([kind, name])
    },
    drop,
    characters,
    refresh,
  }
}

function mustFind(record: ExperimentRecord | undefined): ExperimentRecord {
  if (record === undefined)
    throw serviceError('EXPERIMENT_NOT_FOUND', 'There is no experiment with this id.')
  return record
}

function eventOf(record: ExperimentRecord, word: string): EventReport {
  const { id, kind, name, status, reason, rollout, step } = record
  const grave = word === 'ROLLED_BACK' || word === 'FAILED' || word.endsWith('UNHEALTHY')
  // What comes after the end is not why it ended.
  const why = word === status ? reason : undefined
  return {
    type: `${kind === 'test' ? 'TEST' : 'EXPERIMENT'}_${word}`,
    status,
    source: 'experiments',
    priority: grave ? ('HIGH' as const) : ('NORMAL' as const),
    correlationId: id,
    data: {
      ...(kind === 'test' ? { testId: id } : { experimentId: id }),
      name,
      step: step + 1,
      share: rollout.steps[step],
      ...(why === undefined ? {} : { reason: why.text, ...why.figures }),
    },
  }
}
