import type { TallyFigures } from '../../schema/meta-record.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'

/** What learning has taken since the store was made; what is forgotten later stays counted. */
export interface Tally extends Consumer {
  figures: () => TallyFigures
}

/** Where the numbers are kept. */
const TALLY = 'tally'

export function openTally(store: Store): Tally {
  const { meta } = store.tables
  const read = (): TallyFigures => meta.get(TALLY) ?? { searches: 0, feedback: {}, analytics: 0 }
  let counts = read()
  return {
    name: 'tally',
    load: () => {
      counts = read()
    },
    take: (fact) => {
      if (fact.kind === 'search') counts.searches += 1
      else if (fact.kind === 'analytics') counts.analytics += 1
      else if (fact.kind === 'feedback')
        counts.feedback[fact.entry.status] = (counts.feedback[fact.entry.status] ?? 0) + 1
    },
    save: () => meta.put(TALLY, counts),
    figures: () => ({ ...counts, feedback: { ...counts.feedback } }),
  }
}
