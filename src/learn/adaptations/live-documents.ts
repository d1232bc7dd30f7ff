import type { QueryEvidence } from '../patterns/evidence.ts'

/** A document that was clicked, in an index that is there. */
interface ClickedDocument {
  id: string
  index: string
  clicks: number
}

/** What a change may lift, most clicks first. */
export function liveDocuments(evidence: QueryEvidence | undefined): ClickedDocument[] {
  return (evidence?.documents ?? []).flatMap(({ id, index, clicks }) =>
    index === undefined ? [] : { id, index, clicks },
  )
}

/** As settings of a ranking name it: another index may have its id, for another document. */
export function inItsIndex({ id, index }: ClickedDocument): { id: string; index: string } {
  return { id, index }
}
