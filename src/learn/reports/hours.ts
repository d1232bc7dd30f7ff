import { firstIdOf } from '../../ids.ts'
import type { HourReport } from '../../schema/analytics-record.ts'
import type { Store } from '../../store/store.ts'
import { type Consumer, type FeedbackFact, listOf } from '../facts.ts'
import { isOwnClick } from '../feedback/feedback-entries.ts'
import { GROUPS } from '../loop/fold.ts'
import { type Asker, askersNamed } from '../patterns/askers.ts'
import { timesOfQueries } from '../patterns/times.ts'
import { HOUR_MS, hourOf } from '../wire/duration.ts'
import { readQueries } from './frequent.ts'
import { type Hour, openHour } from './hour.ts'
import type { MovedOf } from './moved-clicks.ts'

/** Counts what happens by the hour: the consumer that reports are made from. */
export interface Hours extends Consumer {
  /** Removes some rows that nothing can ask for any more; returns how many. Call again while it removes. */
  sweep: (beforeMs: number) => Promise<number>
}

/** Hours held open: late feedback goes to the hour of its search. */
const OPEN_MAX = 4
const SWEEP_ROWS = 1000

/** `movedOf` tells where a hit would stand without learning; without it no clicks are counted by that. */
export function openHours(store: Store, movedOf: MovedOf = () => undefined): Hours {
  const { hourReports, reportedClicks } = store.tables
  const open = new Map<number, Hour>()
  const changed = new Set<number>()
  const clicked = new Map<string, number>()

  function at(timeMs: number): Hour {
    const key = hourOf(timeMs)
    const hour = open.get(key) ?? openHour(hourReports.get(key))
    open.set(key, hour)
    changed.add(key)
    return hour
  }
  function takeFeedback(fact: FeedbackFact): void {
    const { receivedMs, entry, impression, hit } = fact
    at(receivedMs).addFeedback(entry.status)
    if (impression === undefined || !isOwnClick(fact)) return
    at(impression.timeMs).addMoved(movedOf(impression, hit))
    const position = hit === undefined ? (entry.position ?? 0) : impression.from + hit + 1
    const { queryId, timeMs } = listOf(impression)
    const before = clicked.get(queryId) ?? reportedClicks.get(queryId)
    const isBetter = position > 0 && (before === 0 || position < (before ?? Infinity))
    if (before !== undefined && !isBetter) return
    clicked.set(queryId, position)
    at(timeMs).addClick(impression, position, before)
  }
  function drop(): void {
    for (const each of [open, changed, clicked]) each.clear()
  }
  return {
    name: 'reports',
    group: GROUPS.reports,
    load: drop,
    take: (fact) => {
      if (fact.kind === 'search') at(fact.impression.timeMs).addSearch(fact.impression)
      else if (fact.kind === 'feedback') takeFeedback(fact)
      else if (fact.kind === 'analytics') at(fact.timeMs).addEvent(String(fact.data.eventType))
    },
    save: () => {
      for (const key of changed) hourReports.put(key, (open.get(key) as Hour).record())
      for (const [queryId, position] of clicked) reportedClicks.put(queryId, position)
      changed.clear()
      clicked.clear()
      const spare = [...open.keys()].sort((a, b) => b - a).slice(OPEN_MAX)
      for (const key of spare) open.delete(key)
    },
    *untake({ names, facts }) {
      for (const [queryHash, timesMs] of timesOfQueries(facts)) {
        const hours = timesMs.map(hourOf)
        for (const key of new Set(hours))
          if (hourReports.has(key))
            yield at(key * HOUR_MS).forget(queryHash, hours.filter((hour) => hour === key).length)
      }
      const askers = askersNamed(names)
      for (const key of [...hourReports.keys()]) {
        yield
        if (listsOne(hourReports.get(key), askers)) at(key * HOUR_MS).forgetAskers(askers)
      }
    },
    forget: ({ facts }) => {
      const theirs = facts.flatMap((fact) =>
        fact.kind === 'search' ? fact.impression.queryId : [],
      )
      reportedClicks.removeAll(theirs)
    },
    reset: () => {
      drop()
      hourReports.clear()
      reportedClicks.clear()
    },
    sweep: (beforeMs) => sweepHours(store, beforeMs),
  }
}

/** Whether it names a query that one of these alone asked. */
function listsOne(report: HourReport | undefined, askers: ReadonlySet<Asker>): boolean {
  if (report === undefined) return false
  const listed = [report.queries, report.zeroResultQueries].flatMap(readQueries)
  return listed.some(({ asker }) => askers.has(asker))
}

/** Ids of queries begin with their time, so the oldest come first. */
async function sweepHours(store: Store, beforeMs: number): Promise<number> {
  const { hourReports, reportedClicks } = store.tables
  const end = hourOf(beforeMs)
  const hours = [...hourReports.keys({ end, limit: SWEEP_ROWS })]
  const queries = [...reportedClicks.keys({ end: firstIdOf(beforeMs), limit: SWEEP_ROWS })]
  if (hours.length + queries.length > 0)
    await store.release(() => {
      hourReports.removeAll(hours)
      reportedClicks.removeAll(queries)
    })
  return hours.length + queries.length
}
