import { type Config, variableOf } from '../../config.ts'
import { serviceError } from '../../errors.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import type { EventReport, Events } from '../history/events.ts'
import { isRunning, type Running, runningOf } from './running.ts'
import { openSizeLimit } from './size-limit.ts'

/** The record of every test and experiment in memory, and the one way to change it. */
export interface KeptRecords {
  byId: ReadonlyMap<string, ExperimentRecord>
  /** What searches meet: swapped whole when something changed. */
  running: () => readonly Running[]
  refresh: () => void
  /** Characters of JSON that all have together; see size-limit.ts. */
  characters: () => number
  /** To be awaited before the transaction that writes a new one. */
  measure: (record: ExperimentRecord) => Promise<void>
  /** Throws LIMIT_REACHED. */
  refuseMoreActive: () => void
  /** Throws LIMIT_REACHED when one more record would have too many characters. */
  refuseMoreCharacters: (record: ExperimentRecord) => void
  /** Inside `write`: stores a record, with an event for each of these words. */
  putWithin: (record: ExperimentRecord, words: readonly string[]) => void
  /** A transaction; the record that it gives is kept, and searches meet it, once that is on the disk. */
  write: <T extends ExperimentRecord | undefined>(
    work: () => T,
    commit?: Store['write'],
  ) => Promise<T>
  /** Forgets one that is off the disk. */
  drop: (id: string) => void
}

export interface RecordsParts {
  store: Store
  events: Events
  clock: () => number
  config: Pick<Config, 'experimentsActiveMax'>
}

export function openKeptRecords({ store, events, clock, config }: RecordsParts): KeptRecords {
  const { experiments } = store.tables
  const byId = new Map<string, ExperimentRecord>()
  const size = openSizeLimit()
  for (const { value } of experiments.range()) keep(value)
  // Written by a transaction whose commit is awaited: those after it must count them.
  const underWay = new Map<string, ExperimentRecord>()
  let running = runningOf(byId.values(), clock())

  function keep(record: ExperimentRecord): void {
    byId.set(record.id, record)
    size.keep(record)
  }
  function refresh(): void {
    running = runningOf(byId.values(), clock())
  }
  return {
    byId,
    running: () => running,
    refresh,
    characters: size.total,
    measure: size.measure,
    refuseMoreActive: () => {
      const runs = (record?: ExperimentRecord) =>
        Number(record !== undefined && isRunning(record, clock()))
      let count = running.length
      for (const [id, record] of underWay) count += runs(record) - runs(byId.get(id))
      if (count >= config.experimentsActiveMax) throw tooManyActive(config)
    },
    refuseMoreCharacters: (record) => size.refuseMore([...underWay.values(), record]),
    putWithin: (record, words) => {
      experiments.put(record.id, record)
      for (const word of words) events.recordWithin(eventOf(record, word))
      underWay.set(record.id, record)
    },
    write: async <T extends ExperimentRecord | undefined>(work: () => T, commit = store.write) => {
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
    drop: (id) => {
      byId.delete(id)
      size.drop(id)
    },
  }
}

function tooManyActive({ experimentsActiveMax }: RecordsParts['config']): Error {
  const setting = variableOf('experimentsActiveMax')
  return serviceError(
    'LIMIT_REACHED',
    `At most ${experimentsActiveMax} tests and experiments may be active at the same time (${setting}), with those whose fallbackConfig applies: pause, stop or deactivate one first.`,
  )
}

function eventOf(record: ExperimentRecord, word: string): EventReport {
  const { id, kind, name, status, reason, rollout, step } = record
  // What comes after the end is not why it ended.
  const why = word === status ? reason : undefined
  // Whoever stops one gives no reason.
  const stopped = word === 'STOPPED' && why !== undefined
  const grave = stopped || word === 'ROLLED_BACK' || word === 'FAILED' || word.endsWith('UNHEALTHY')
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
