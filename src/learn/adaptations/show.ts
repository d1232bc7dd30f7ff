import { hashSpelling } from '../../ids.ts'
import type { AdaptationHistory, AdaptationQuery } from '../../schema/adaptation.ts'
import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import type { Store } from '../../store/store.ts'
import { MACHINES } from '../states.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { listJson } from '../wire/list-json.ts'
import { knownWordsOf, openWordsOf } from '../wire/words.ts'
import { type AdaptationFigures, adaptationJson, showAdaptation, showHistory } from './answers.ts'
import { mustFindAdaptation } from './find.ts'
import type { InForce } from './in-force.ts'
import type { ArmName } from './minutes.ts'
import type { RankingVersions } from './versions.ts'
import type { Watch } from './watch.ts'

/** How adaptations are answered: with what was counted of them, and as one of the versions of the ranking. */
export function openShow(
  store: Store,
  {
    watch,
    versions,
    inForce,
  }: { watch: Watch; versions: RankingVersions; inForce: Pick<InForce, 'versionWith'> },
) {
  const { adaptations } = store.tables

  function figuresOf(record: AdaptationRecord): AdaptationFigures {
    const arms = watch.totals(record.adaptationId)
    const followed = watch.units(record.adaptationId)
    // Totals of earlier versions have no units in them.
    const count = (arm: ArmName) => arms[arm].units ?? followed?.sums(arm, 'ctr').units ?? 0
    const units = { without: count('without'), with: count('with') }
    return { arms, units, rankingVersion: inForce.versionWith(record) }
  }
  const json = (record: AdaptationRecord): string => adaptationJson(record, figuresOf(record))
  return {
    json,
    list: async ({ status, type, queryHash, limit = PAGE_ROWS, cursor }: AdaptationQuery) => {
      const statuses = knownWordsOf('status', status, Object.keys(MACHINES.adaptation))
      const types = openWordsOf(type)
      const scope = queryHash === undefined ? undefined : hashSpelling(queryHash)
      const isWanted = listFilter<AdaptationRecord, AdaptationQuery>({
        status: ifSent(statuses, (record, words) => words.includes(record.status)),
        type: ifSent(types, (record, words) => words.includes(record.type.toUpperCase())),
        queryHash: ifSent(scope, (record, asked) => record.scope === asked),
      })
      return await listJson('adaptations', adaptations, { limit, cursor, show: json, isWanted })
    },
    history: (adaptationId: string): AdaptationHistory => {
      const record = mustFindAdaptation(store, adaptationId)
      return showHistory(showAdaptation(record, figuresOf(record)), record, versions)
    },
  }
}
