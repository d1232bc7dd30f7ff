import { tell, type Warned } from './told.ts'

/** Tells that the session of a search counts for nobody: such a search is served all the same. */
export function tellUnknownSession(
  sessionId: string | undefined,
  { unit }: { unit: string | undefined },
  told: Warned,
): void {
  if (sessionId !== undefined && unit === undefined) tell(told, () => UNKNOWN)
}

const UNKNOWN =
  'sessionId: there is no such session, or it is over, so that nothing is learned from this search, and no test counts it; POST /cortex/sessions begins one.'
