import { openBreath } from '../../breath.ts'
import { invalid } from '../../errors.ts'
import { hashSpelling } from '../../ids.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { SuggestionKind, SuggestionRecord } from '../../schema/adaptation-record.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import {
  SuggestedPatterns,
  type Suggestion,
  type SuggestionQuery,
} from '../../schema/suggestion.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'
import type { QueryEvidence } from '../patterns/evidence.ts'
import { inPortions } from '../portions.ts'
import { MACHINES } from '../states.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { listJson } from '../wire/list-json.ts'
import { knownWordsOf } from '../wire/words.ts'
import { suggestionJson } from './answers.ts'
import { type CountedRows, openCountedRows } from './counted-rows.ts'
import { deriveChanges } from './derive.ts'
import type { Rules } from './rules.ts'
import { asOf, hasExpired, openSuggestionAges } from './suggestion-ages.ts'
import {
  openSuggestionSteps,
  type SuggestionSteps,
  suggestionKey,
  suggestionKeyGradually,
} from './suggestion-steps.ts'

/** A change that the service found itself. */
export interface Proposal {
  kind: SuggestionKind
  queryHash: string
  changes: Record<string, unknown>
  description: string
  confidence: number
  evidence: Record<string, unknown>
}

export interface Suggestions {
  /**
   * Takes a suggestion of a client's; the same one sent twice is one. Throws VALIDATION_FAILED when the patterns hold
   * no known key.
   */
  suggest: (sent: Suggestion) => Promise<SuggestionRecord>
  /** Stores what is new among proposals, PENDING until somebody applies them. */
  propose: (proposals: readonly Proposal[]) => Promise<void>
  /** Takes back what the service offers, or offered in vain, for these queries; anew if the rest says so. */
  withdraw: (queryHashes: Pick<ReadonlySet<string>, 'has'>) => Promise<void>
  /** As it is by now. Throws SUGGESTION_NOT_FOUND. */
  get: (suggestionId: string) => SuggestionRecord
  /** A SuggestionList in UTF-8 JSON, newest first. Throws VALIDATION_FAILED for an unknown status or source, INVALID_CURSOR. */
  list: (query: SuggestionQuery) => Promise<Uint8Array>
  /** Inside a transaction: a change that rests on it was applied. */
  appliedWithin: (suggestionId: string, adaptationId: string) => void
  /** Judges what waited for evidence, expires what is 7 days old, removes what is past its time. */
  tick: (nowMs: number) => Promise<void>
  /** How many there are by status. */
  counts: CountedRows<SuggestionRecord>['counts']
}

export interface SuggestionsParts {
  store: Store
  events: Events
  rules: Rules
  config: { adaptationConfidence: number; retentionMs: number }
  evidenceOf: (queryHash: string) => QueryEvidence | undefined
  clock: () => number
}

const UNKNOWN = 'is not the id of a suggestion; GET /nous/adapt/suggestions lists them'
/** Nothing rests on these; once they are taken back, nothing tells of the queries. */
const UNUSED = new Set(['PENDING', 'EXPIRED'])
const KNOWN = Object.keys(SuggestedPatterns.properties)

export function openSuggestions(parts: SuggestionsParts): Suggestions {
  const { store, config, clock } = parts
  const { suggestions, suggestionKeys } = store.tables
  const confidenceMin = config.adaptationConfidence
  const rows = openCountedRows(store, suggestions, 'suggestionStatuses')
  const steps = openSuggestionSteps({ ...parts, rows, confidenceMin })

  function find(key: string): SuggestionRecord | undefined {
    const id = suggestionKeys.get(key)
    return id === undefined ? undefined : suggestions.get(id)
  }
  function derive({ queryHash, patterns }: Pick<SuggestionRecord, 'queryHash' | 'patterns'>) {
    return deriveChanges(JSON.parse(patterns), parts.evidenceOf(queryHash))
  }
  const ages = openSuggestionAges({ store, config, steps, derive })
  return {
    suggest: async ({ patterns, confidence, ...sent }) => {
      const queryHash = hashSpelling(sent.queryHash)
      if (!KNOWN.some((name) => name in patterns))
        throw invalid('patterns', `must have at least one of ${KNOWN.join(', ')}`)
      // Now: while this is written down, what it is judged by may be counted anew.
      const derived = deriveChanges(patterns, parts.evidenceOf(queryHash))
      const key = await suggestionKeyGradually([queryHash, patterns, confidence])
      const known = find(key)
      if (known !== undefined && !hasExpired(known, clock())) return known
      const own = { key, queryHash, confidence, patterns: await jsonText(patterns) }
      const suggested = await store.write(() => {
        const earlier = find(key)
        if (earlier !== undefined) {
          if (!hasExpired(earlier, clock())) return earlier
          // The first round after a start comes a second later.
          steps.expire(earlier)
        }
        const added = steps.add({ ...own, source: 'client', kind: 'suggested', evidence: {} })
        return steps.decide(added, derived)
      })
      ages.note(suggested.suggestionId)
      return suggested
    },
    ...openOwn({ store, steps, find, note: ages.note }),
    get: (suggestionId) => {
      const found = suggestions.get(suggestionId)
      if (found !== undefined) return asOf(clock(), found)
      throw invalid('suggestionId', UNKNOWN, 'SUGGESTION_NOT_FOUND')
    },
    list: (query) => listSuggestions(store, query, clock()),
    appliedWithin: (suggestionId, adaptationId) => {
      const record = suggestions.get(suggestionId)
      if (record !== undefined) steps.applied(record, adaptationId)
    },
    tick: ages.tick,
    counts: rows.counts,
  }
}

/** What the service suggests by itself. */
function openOwn({
  store,
  steps,
  find,
  note,
}: {
  store: Store
  steps: SuggestionSteps
  find: (key: string) => SuggestionRecord | undefined
  note: (suggestionId: string) => void
}): Pick<Suggestions, 'propose' | 'withdraw'> {
  const { suggestions } = store.tables
  return {
    propose: async (proposals) => {
      const keyed = proposals.map((proposal) => {
        const { kind, queryHash, changes } = proposal
        return { ...proposal, key: suggestionKey([kind, queryHash, changes]) }
      })
      const fresh = keyed.filter(({ key }) => find(key) === undefined)
      if (fresh.length === 0) return
      const added = await store.write(() =>
        fresh.map(({ changes, description, ...proposal }) => {
          const patterns = JSON.stringify({ changes })
          const record = steps.add({ ...proposal, patterns, source: 'service' })
          return steps.offer(record, { changes, description })
        }),
      )
      for (const { suggestionId } of added) note(suggestionId)
    },
    withdraw: async (queryHashes) => {
      const isTheirs = ({ source, status, queryHash }: SuggestionRecord) =>
        source === 'service' && UNUSED.has(status) && queryHashes.has(queryHash)
      const theirs: string[] = []
      const breathe = openBreath()
      // No walk stays open between two stretches.
      for (const suggestionId of [...suggestions.keys()]) {
        await breathe()
        const record = suggestions.get(suggestionId)
        if (record !== undefined && isTheirs(record)) theirs.push(suggestionId)
      }
      await inPortions(theirs, (portion) =>
        store.release(() => {
          for (const suggestionId of portion) {
            const now = suggestions.get(suggestionId)
            if (now !== undefined && isTheirs(now)) steps.remove(now)
          }
        }),
      )
    },
  }
}

const SOURCES = ['CLIENT', 'SERVICE']

async function listSuggestions(
  store: Store,
  { status, queryHash, source, limit = PAGE_ROWS, cursor }: SuggestionQuery,
  nowMs: number,
): Promise<Uint8Array> {
  const statuses = knownWordsOf('status', status, Object.keys(MACHINES.suggestion))
  const sources = knownWordsOf('source', source, SOURCES)
  const hash = queryHash === undefined ? undefined : hashSpelling(queryHash)
  return await listJson('suggestions', store.tables.suggestions, {
    limit,
    cursor,
    show: (suggestion) => suggestionJson(asOf(nowMs, suggestion)),
    isWanted: listFilter<SuggestionRecord, SuggestionQuery>({
      status: ifSent(statuses, (each, words) => words.includes(asOf(nowMs, each).status)),
      queryHash: ifSent(hash, (suggestion, asked) => suggestion.queryHash === asked),
      source: ifSent(sources, ({ source }, words) => words.includes(source.toUpperCase())),
    }),
  })
}
