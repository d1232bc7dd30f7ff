import { invalid, serviceError } from '../../errors.ts'
import type { SuggestionRecord } from '../../schema/adaptation-record.ts'
import type { Suggestion, SuggestionQuery } from '../../schema/suggestion.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'
import type { QueryEvidence } from '../patterns/evidence.ts'
import { MACHINES } from '../states.ts'
import { DAY_MS } from '../wire/duration.ts'
import { listJson } from '../wire/list-json.ts'
import { knownWordsOf } from '../wire/words.ts'
import { type Derived, deriveChanges } from './derive.ts'
import type { Rules } from './rules.ts'
import { openSuggestionSteps, type SuggestionSteps, suggestionKey } from './suggestion-steps.ts'
import { showSuggestion } from './wire.ts'

/** A change that the service found itself. */
export interface Proposal {
  kind: string
  queryHash: string
  changes: Record<string, unknown>
  description: string
  confidence: number
  evidence: Record<string, unknown>
}

export interface Suggestions {
  /** The same suggestion twice is one. Throws VALIDATION_FAILED when the patterns hold no known key. */
  suggest: (sent: Suggestion) => Promise<SuggestionRecord>
  /** Stores what is new among proposals, PENDING until somebody applies them. */
  propose: (proposals: readonly Proposal[]) => Promise<void>
  /** Takes back what the service offers, or offered in vain, for these queries; anew if the rest says so. */
  withdraw: (queryHashes: Pick<ReadonlySet<string>, 'has'>) => Promise<void>
  /** Throws SUGGESTION_NOT_FOUND. */
  get: (suggestionId: string) => SuggestionRecord
  /** A SuggestionList in UTF-8 JSON, newest first. Throws VALIDATION_FAILED for an unknown status or source. */
  list: (query: SuggestionQuery) => Promise<Uint8Array>
  /** Inside a transaction: a change that rests on it was applied. */
  appliedWithin: (suggestionId: string, adaptationId: string) => void
  /** Judges what waited for evidence, expires what is 7 days old, removes what is past its time. */
  tick: (nowMs: number) => Promise<void>
}

export interface SuggestionsParts {
  store: Store
  events: Events
  rules: Rules
  config: { adaptationConfidence: number; retentionMs: number }
  evidenceOf: (queryHash: string) => QueryEvidence | undefined
  clock: () => number
}

const EXPIRY_MS = 7 * DAY_MS
/** Nothing rests on these; once they are taken back, nothing tells of the queries. */
const UNUSED = new Set(['PENDING', 'EXPIRED'])
/** Suggestions that are kept; the oldest go first. */
const SUGGESTIONS_MAX = 10_000
const KNOWN = [
  ...['averageRelevance', 'clickThroughRate', 'conversionRate', 'requiresOptimization'],
  ...['confidence', 'positivePatterns', 'negativePatterns', 'neutralPatterns'],
]

export function openSuggestions(parts: SuggestionsParts): Suggestions {
  const { store, config } = parts
  const { suggestions, suggestionKeys } = store.tables
  const confidenceMin = config.adaptationConfidence
  const steps = openSuggestionSteps({ ...parts, confidenceMin })

  function find(key: string): SuggestionRecord | undefined {
    const id = suggestionKeys.get(key)
    return id === undefined ? undefined : suggestions.get(id)
  }
  function derive({ queryHash, patterns }: Pick<SuggestionRecord, 'queryHash' | 'patterns'>) {
    return deriveChanges(JSON.parse(patterns), parts.evidenceOf(queryHash))
  }
  return {
    suggest: async ({ queryHash, patterns, confidence }) => {
      if (!KNOWN.some((name) => name in patterns))
        throw invalid('patterns', `must have at least one of ${KNOWN.join(', ')}`)
      const key = suggestionKey([queryHash, patterns, confidence])
      const known = find(key)
      if (known !== undefined) return known
      const own = { key, queryHash, confidence, patterns: JSON.stringify(patterns) }
      // Now: when the transaction's turn comes, what it is judged by may be counted anew.
      const derived = derive(own)
      return store.write(() => {
        const earlier = find(key)
        if (earlier !== undefined) return earlier
        const added = steps.add({ ...own, source: 'client', kind: 'suggested', evidence: {} })
        return steps.decide(added, derived)
      })
    },
    ...openOwn(store, steps, find),
    get: (suggestionId) => {
      const found = suggestions.get(suggestionId)
      if (found !== undefined) return found
      throw serviceError('SUGGESTION_NOT_FOUND', 'There is no suggestion with this id.')
    },
    list: (query) => listSuggestions(store, query),
    appliedWithin: (suggestionId, adaptationId) => {
      const record = suggestions.get(suggestionId)
      if (record !== undefined) steps.applied(record, adaptationId)
    },
    tick: async (nowMs) => {
      const all = Array.from(suggestions.range(), ({ value }) => value)
      const excess = all.length - SUGGESTIONS_MAX
      const old = all.filter(
        (record, at) =>
          at < excess || (!isOpen(record) && nowMs - record.updatedMs > config.retentionMs),
      )
      const gone = new Set(old)
      const open = all.filter((record) => !gone.has(record) && isOpen(record))
      const isExpired = ({ createdMs }: SuggestionRecord) => nowMs - createdMs > EXPIRY_MS
      const expired = open.filter(isExpired)
      const judged = open
        .filter((record) => waits(record) && !isExpired(record))
        .map((record) => ({ record, derived: derive(record) }))
        .filter(({ derived }) => derived.changes !== undefined)
      if (old.length + expired.length + judged.length === 0) return
      const each = { old, expired, judged }
      await store.write(() => age(steps, each, (record) => ifStill(store, record)))
    },
  }
}

/** Read before the transaction: what somebody applied meanwhile has moved on, and must not be taken back. */
function ifStill(
  { tables: { suggestions } }: Store,
  { suggestionId, status }: SuggestionRecord,
): SuggestionRecord | undefined {
  const now = suggestions.get(suggestionId)
  return now?.status === status ? now : undefined
}

/** What the service suggests by itself. */
function openOwn(
  store: Store,
  steps: SuggestionSteps,
  find: (key: string) => SuggestionRecord | undefined,
): Pick<Suggestions, 'propose' | 'withdraw'> {
  const { suggestions } = store.tables
  return {
    propose: async (proposals) => {
      const keyed = proposals.map((proposal) => {
        const { kind, queryHash, changes } = proposal
        return { ...proposal, key: suggestionKey([kind, queryHash, changes]) }
      })
      const fresh = keyed.filter(({ key }) => find(key) === undefined)
      if (fresh.length === 0) return
      await store.write(() => {
        for (const { changes, description, ...proposal } of fresh) {
          const patterns = JSON.stringify({ changes })
          steps.offer(steps.add({ ...proposal, patterns, source: 'service' }), {
            changes,
            description,
          })
        }
      })
    },
    withdraw: async (queryHashes) => {
      const all = Array.from(suggestions.range(), ({ value }) => value)
      const theirs = all.filter(
        ({ source, status, queryHash }) =>
          source === 'service' && UNUSED.has(status) && queryHashes.has(queryHash),
      )
      if (theirs.length === 0) return
      await store.write(() => {
        for (const { suggestionId } of theirs) {
          const now = suggestions.get(suggestionId)
          if (now !== undefined && UNUSED.has(now.status)) steps.withdraw(now)
        }
      })
    },
  }
}

interface Aged {
  old: readonly SuggestionRecord[]
  expired: readonly SuggestionRecord[]
  judged: readonly { record: SuggestionRecord; derived: Derived }[]
}

function age(
  steps: SuggestionSteps,
  { old, expired, judged }: Aged,
  stillOf: (record: SuggestionRecord) => SuggestionRecord | undefined,
): void {
  for (const record of old) steps.remove(record)
  for (const record of expired) {
    const now = stillOf(record)
    if (now !== undefined) steps.expire(now)
  }
  for (const { record, derived } of judged) {
    const now = stillOf(record)
    if (now !== undefined) steps.decide(now, derived)
  }
}

function isOpen({ status }: SuggestionRecord): boolean {
  return status === 'PENDING' || status === 'ACCEPTED'
}

/** A client's suggestion that nothing was there to judge by. */
function waits({ status, source }: SuggestionRecord): boolean {
  return status === 'PENDING' && source === 'client'
}

const LIMIT = 100
const SOURCES = ['CLIENT', 'SERVICE']

async function listSuggestions(
  store: Store,
  { status, queryHash, source, limit = LIMIT }: SuggestionQuery,
): Promise<Uint8Array> {
  const statuses = knownWordsOf('status', status, Object.keys(MACHINES.suggestion))
  const sources = knownWordsOf('source', source, SOURCES)
  const isWanted = (suggestion: SuggestionRecord) =>
    statuses?.includes(suggestion.status) !== false &&
    (queryHash === undefined || suggestion.queryHash === queryHash) &&
    sources?.includes(suggestion.source.toUpperCase()) !== false
  const isEach = statuses === undefined && queryHash === undefined && sources === undefined
  return await listJson('suggestions', store.tables.suggestions, {
    ...{ limit, show: showSuggestion },
    isWanted: isEach ? undefined : isWanted,
  })
}
