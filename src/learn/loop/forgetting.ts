import type { Forgetting } from '../../schema/meta-record.ts'
import type { Store } from '../../store/store.ts'

const FORGETTING = 'forgetting'

/** Everybody whose forgetting was begun and is not done. */
export function allForgetting({ tables }: Store): Forgetting[] {
  const kept = tables.meta.get(FORGETTING) ?? []
  // Stores of earlier versions kept names alone.
  return kept.map((each) => (typeof each === 'string' ? { subject: each } : each))
}

export function findForgetting(store: Store, subject: string): Forgetting | undefined {
  return allForgetting(store).find((each) => each.subject === subject)
}

/** Inside a transaction. */
export function noteForgettingWithin(store: Store, forgetting: Forgetting): void {
  store.tables.meta.put(FORGETTING, [...others(store, forgetting.subject), forgetting])
}

/** Inside a transaction. */
export function endForgettingWithin(store: Store, subject: string): void {
  store.tables.meta.put(FORGETTING, others(store, subject))
}

function others(store: Store, subject: string): Forgetting[] {
  return allForgetting(store).filter((each) => each.subject !== subject)
}

/** Whether all is to be learned anew without somebody, for which the log must stay as it is. */
export function willRelearn(store: Store): boolean {
  return allForgetting(store).some(({ unlearnedTo }) => unlearnedTo === undefined)
}
