import { onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { type Adaptations, openAdaptations } from '../../../src/learn/adaptations/adaptations.ts'
import type { Impression } from '../../../src/learn/facts.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { whenWhole } from '../../../src/learn/loop/whole.ts'
import { openPatterns, type Patterns } from '../../../src/learn/patterns/patterns.ts'
import type { LoadModel } from '../../../src/learn/plan/exact-model.ts'
import type {
  Adaptation,
  AdaptationList,
  AdaptationQuery,
  AdaptationRead,
} from '../../../src/schema/adaptation.ts'
import type {
  Rule,
  RuleCreate,
  RuleList,
  RuleQuery,
  Suggestion,
  SuggestionList,
  SuggestionQuery,
  SuggestionRead,
} from '../../../src/schema/suggestion.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, openLearner, QUERY_HASH } from '../learner.ts'

/** A learning line with patterns and adaptations: each search gets the changes that apply to its session. */
export interface Workshop extends Learner {
  adaptations: Shop
  patterns: Patterns
  apply: (changes: Record<string, unknown>, more?: Partial<Adaptation>) => Promise<AdaptationRead>
  /** Waits, as requests do that decide by what was learned. */
  whole: () => Promise<void>
  /** Names of the changes that a search of the session would get. */
  applying: (sessionId?: string, queryHash?: string) => string[]
  /** The lists of the changes, of suggestions and rules, as clients read them. */
  listed: (query?: AdaptationQuery) => Promise<AdaptationList['adaptations']>
  suggestions: (query?: SuggestionQuery) => Promise<SuggestionList>
  rules: (query?: RuleQuery) => Promise<RuleList>
  /** A search by the session in whatever changes apply to it; returns its query id. */
  searchIn: (sessionId: string | undefined, more?: Partial<Impression>) => string
  /** Turns the clock, lets learning catch up, and lets time take effect. */
  pass: (ms: number) => Promise<void>
  /** The statuses of events so far. */
  eventTypes: () => string[]
  /** The same store with everything opened anew. */
  reopen: () => Promise<Workshop>
}

/** Adaptations whose answers are read. */
type Shop = Omit<Adaptations, 'suggest' | 'createRule' | 'apply'> & {
  suggest: (sent: Suggestion) => Promise<SuggestionRead>
  createRule: (sent: RuleCreate) => Promise<Rule>
  apply: (sent: Adaptation) => Promise<AdaptationRead>
}

function readable(shop: Adaptations): Shop {
  return {
    ...shop,
    suggest: async (sent) => parse(await shop.suggest(sent)),
    createRule: async (sent) => parse(await shop.createRule(sent)),
    apply: async (sent) => parse(await shop.apply(sent)),
  }
}

/** The first ones that the core reckons; a search without a session keeps four of them. */
const FEATURES = 'textScore vectorScore bm25 cosine textRank vectorRank fusedScore'.split(' ')
export const DOCUMENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']

/** There are two; any other was deleted. */
function liveIndex(indexId: number): string | undefined {
  return [undefined, 'shop', 'other'][indexId]
}

export function openWorkshop(
  settings: Record<string, string> = {},
  store: Store = temporaryStore(),
  nowMs?: number,
  loadModel: LoadModel = async () => {},
): Workshop {
  let adaptations: Adaptations | undefined
  let patterns: Patterns | undefined
  let learner: Learner | undefined
  const config = readConfig(settings)
  learner = openLearner(store, settings, ({ clock }) => {
    patterns = openPatterns(store, clock, liveIndex)
    adaptations = openAdaptations({
      ...{ store, patterns, config, clock, events: openEvents(store, clock, config) },
      find: (queryId) => learner?.log.find(queryId),
      chances: () => ({ eta: 1 }),
      featureNames: () => FEATURES,
      exactModel: (name) => (name === 'known' ? name : undefined),
      loadModel,
      liveIndex,
      isSearched: () => true,
    })
    return [...patterns.consumers, adaptations.consumer]
  })
  const own = learner
  if (nowMs !== undefined) own.clock.nowMs = nowMs
  const shop = readable(adaptations as unknown as Adaptations)
  let closed = false
  const close = async () => {
    if (!closed) await own.close()
    closed = true
  }
  onTestFinished(close)

  function unitOf(sessionId: string | undefined): string | undefined {
    const session = sessionId === undefined ? undefined : own.sessions.peek(sessionId)
    return session?.userId ?? session?.sessionId
  }
  function applying(sessionId?: string, queryHash = QUERY_HASH): string[] {
    const changes = shop.applying(queryHash, unitOf(sessionId))
    return changes.map(({ adaptationId, version }) => `${adaptationId}@${version}`)
  }
  return {
    ...own,
    adaptations: shop,
    patterns: patterns as unknown as Patterns,
    apply: (changes, more = {}) => shop.apply({ type: 'ranking', changes, ...more }),
    whole: () => whenWhole({ store, config, ...own.loop }, 'decide'),
    applying,
    listed: async (query = {}) => parse<AdaptationList>(await shop.list(query)).adaptations,
    suggestions: async (query = {}) => parse<SuggestionList>(await shop.listSuggestions(query)),
    rules: async (query = {}) => parse<RuleList>(await shop.listRules(query)),
    searchIn: (sessionId, more = {}) => {
      const names = applying(sessionId, more.queryHash)
      return own.search(sessionId, DOCUMENTS, { adaptations: names, ...more })
    },
    pass: async (ms) => {
      await own.loop.caughtUp()
      own.clock.nowMs += ms
      await shop.tick(own.clock.nowMs)
    },
    eventTypes: () => Array.from(store.tables.events.range(), ({ value }) => value.type),
    reopen: async () => {
      await own.loop.caughtUp()
      await close()
      return openWorkshop(settings, store, own.clock.nowMs)
    },
  }
}

function parse<Told>(bytes: Uint8Array): Told {
  return JSON.parse(Buffer.from(bytes).toString()) as Told
}
