import { invalid } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'

const UNKNOWN = 'is not the id of an adaptation; GET /nous/adaptations lists them'

/** Throws ADAPTATION_NOT_FOUND. */
export function mustFindAdaptation({ tables }: Store, adaptationId: string): AdaptationRecord {
  const record = tables.adaptations.get(oneSpelling(adaptationId))
  if (record !== undefined) return record
  throw invalid('id', UNKNOWN, 'ADAPTATION_NOT_FOUND')
}
