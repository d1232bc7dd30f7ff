import { openBreath } from '../../breath.ts'
import { invalid } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { shownName } from '../../word.ts'
import type { Definition } from '../indices/definition.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { decodeRecord, sourceJson } from '../record.ts'
import { DOCUMENT_GRAMS_MAX, gramsProblem, mostGrams } from './grams.ts'

/** Records that are looked at between two looks at the clock. */
const PAGE_ROWS = 256

/**
 * Resolves when no stored document would be cut into more ngrams than one may have if the index were declared like
 * this; otherwise throws VALIDATION_FAILED, which names one. Called before fields are added, because what is stored
 * is indexed again with them.
 */
export type RefuseTooManyGrams = (entry: IndexEntry, next: Definition) => Promise<void>

export function openStoredGrams(store: Store): RefuseTooManyGrams {
  const { documents, records } = store.tables
  return async ({ record }, { grams }) => {
    if (grams.length === 0) return
    const breathe = openBreath()
    let after = -1
    for (;;) {
      const start: [number, number] = [record.id, after + 1]
      const end: [number, number] = [record.id + 1, 0]
      let last: number | undefined
      for (const { key, value } of records.range({ start, end, limit: PAGE_ROWS })) {
        last = key[1]
        const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
        const problem = problemOf(bytes, grams)
        // One that was replaced lies there for a while.
        if (problem === undefined || documents.get([record.id, problem.id]) !== last) continue
        throw invalid(
          'mappings.properties',
          `can't be added: ${problem.path} of the stored document "${shownName(problem.id)}" ${problem.message}`,
        )
      }
      if (last === undefined) return
      after = last
      await breathe()
    }
  }
}

function problemOf(
  bytes: Buffer,
  grams: Definition['grams'],
): { id: string; path: string; message: string } | undefined {
  // Nearly all are short, and not looked through: a letter is a byte at least.
  if (mostGrams(sourceJson(bytes).length, grams) <= DOCUMENT_GRAMS_MAX) return undefined
  const { id, source } = decodeRecord(bytes)
  const [detail] = gramsProblem(JSON.parse(source), grams)?.details ?? []
  return detail === undefined ? undefined : { id, ...detail }
}
