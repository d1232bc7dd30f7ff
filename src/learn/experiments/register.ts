import { serviceError } from '../../errors.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import { refuseUninterleavable } from './interleavable.ts'
import { openKeptRecords, type RecordsParts } from './kept-records.ts'
import type { Running } from './running.ts'
import { type Change, eventWordOf, movedTo, moveOf } from './transitions.ts'
import { unknownExperiment } from './unknown.ts'

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

/** Tests and experiments kept; the oldest finished ones go first. */
export const EXPERIMENTS_MAX = 10_000

export function openRegister(parts: RecordsParts): Register {
  const { store, clock } = parts
  const { experiments, experimentNames } = store.tables
  const records = openKeptRecords(parts)
  const { byId, write, putWithin, running, characters, drop, refresh } = records
  return {
    find: (id) => byId.get(id),
    all: () => byId.values(),
    running,
    named: (kind, name) => {
      const id = experimentNames.get([kind, name])
      return id === undefined ? undefined : byId.get(id)
    },
    add: async (record) => {
      await records.measure(record)
      return write(() => {
        const { kind, name, id, status } = record
        if (experimentNames.has([kind, name])) throw nameTaken()
        if (experiments.count() >= EXPERIMENTS_MAX) throw tooMany()
        records.refuseMoreCharacters(record)
        if (status === 'ACTIVE') records.refuseMoreActive()
        experimentNames.put([kind, name], id)
        putWithin(record, status === 'ACTIVE' ? ['CREATED', 'STARTED'] : ['CREATED'])
        return record
      })
    },
    steer: (id, change) =>
      write(
        () => {
          const record = mustBeThere(experiments.get(id))
          if (change.from !== undefined && record.status !== change.from) return record
          if (moveOf(record, change.to, clock()) === 'unchanged') return record
          if (change.to === 'ACTIVE') {
            refuseUninterleavable(record)
            records.refuseMoreActive()
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

function mustBeThere(record: ExperimentRecord | undefined): ExperimentRecord {
  if (record === undefined) throw unknownExperiment('experiment')
  return record
}

function nameTaken(): Error {
  return serviceError(
    'NAME_TAKEN',
    'There is one of this name already, and names stay taken: choose another.',
    { details: [{ path: 'name', message: 'is taken' }] },
  )
}

function tooMany(): Error {
  return serviceError(
    'LIMIT_REACHED',
    `There are ${EXPERIMENTS_MAX} tests and experiments already: stop some; those that ended longest ago go by themselves to make room.`,
  )
}
