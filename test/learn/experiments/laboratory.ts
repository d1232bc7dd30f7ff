import { onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { type Experiments, openExperiments } from '../../../src/learn/experiments/experiments.ts'
import type { Impression } from '../../../src/learn/facts.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import type { ExactModel, LoadModel } from '../../../src/learn/plan/exact-model.ts'
import type { StoredEvent } from '../../../src/schema/event.ts'
import type { ExperimentCreate } from '../../../src/schema/experiment.ts'
import type { ExperimentKind } from '../../../src/schema/experiment-record.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, openLearner } from '../learner.ts'

/** A learning line with experiments: searches get the variants that apply to their session. */
export interface Laboratory extends Learner {
  experiments: Experiments
  create: (kind: ExperimentKind, sent: Partial<ExperimentCreate>) => Promise<Answered>
  get: (kind: ExperimentKind, id: string) => Promise<Answered>
  /** A search by a session in whatever experiments apply to it; returns its query id. */
  searchIn: (sessionId: string, more?: Partial<Impression>) => string
  /** Session of a new user whom the experiment puts into this variant. */
  memberOf: (id: string, variantId: string) => Promise<string>
  click: (sessionId: string, queryId: string, resultId: string) => Promise<unknown>
  events: () => StoredEvent[]
  /** The same store with everything opened anew. */
  reopen: (exactModel?: ExactModel) => Promise<Laboratory>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
export type Answered = Record<string, any>

const DOCUMENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']
let count = 0

export function openLaboratory(
  store: Store = temporaryStore(),
  exactModel: ExactModel = (name) => name,
  loadModel: LoadModel = async () => {},
): Laboratory {
  let experiments: Experiments | undefined
  let learner: Learner | undefined
  const config = readConfig({ EXPERIMENTS_ACTIVE_MAX: '100' })
  learner = openLearner(store, {}, ({ clock }) => {
    experiments = openExperiments({
      store,
      events: openEvents(store, clock, config),
      config,
      clock,
      sessions: {
        peek: (id) => learner?.sessions.peek(id),
        touch: (id) => learner?.sessions.touch(id),
      },
      metrics: { collect: () => {} },
      exactModel,
      loadModel,
      isSearched: () => true,
    })
    return [experiments.consumer]
  })
  const own = learner
  const lab = experiments as unknown as Experiments
  onTestFinished(() => own.close())
  return {
    ...own,
    experiments: lab,
    create: (kind, sent) =>
      lab.create(kind, { name: `n${++count}`, variants: [{ id: 'a' }, { id: 'b' }], ...sent }),
    get: async (kind, id) => {
      await own.loop.caughtUp()
      return lab.get(kind, id)
    },
    searchIn: (sessionId, more = {}) => {
      const session = own.sessions.peek(sessionId)!
      const variants = lab
        .variants(session.userId ?? session.sessionId, session)
        .map(({ testId, variantId }): [string, string] => [testId, variantId])
      return own.search(sessionId, DOCUMENTS, { variants, ...more })
    },
    memberOf: async (id, variantId) => {
      for (;;) {
        const userId = `u${++count}`
        const glimpse = {
          sessionId: userId,
          userId,
          clientId: undefined,
          metadata: {},
          active: true,
        }
        const found = lab.variants(userId, glimpse).find(({ testId }) => testId === id)
        if (found?.variantId === variantId) return own.session(userId)
      }
    },
    click: async (sessionId, queryId, resultId) => {
      await own.log.flush()
      return own.tell(sessionId, queryId, resultId)
    },
    events: () => [...store.tables.events.range()].map(({ value }) => value),
    reopen: async (models = exactModel) => {
      await own.close()
      return openLaboratory(store, models)
    },
  }
}
