import { type ServiceError, serviceError } from '../../errors.ts'
import { isObject } from '../../object.ts'

/*
 * Other search engines take two lines for a document: what to do, `{"index": {"_id": "7"}}`, and behind it the document
 * alone. Here the first would be a document without text and the second one without its id.
 */

const ACTIONS: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete'])
/** What such a line may say of its document; anything else makes it a document with an object in it, which is taken. */
const SAID: ReadonlySet<string> = new Set([
  '_id',
  '_index',
  '_type',
  '_routing',
  '_parent',
  '_version',
  '_version_type',
  '_source',
  'routing',
  'parent',
  'version',
  'version_type',
  'pipeline',
  'dynamic_templates',
  'require_alias',
  'require_data_stream',
  'retry_on_conflict',
  'if_seq_no',
  'if_primary_term',
  '_retry_on_conflict',
  '_if_seq_no',
  '_if_primary_term',
  'list_executed_pipelines',
])

interface Action {
  action: string
  id: unknown
  index: unknown
}

/** What a line asks for in that form; undefined for any other line. */
export function bulkActionOf(sent: unknown): Action | undefined {
  if (!isObject(sent)) return undefined
  let action: string | undefined
  // Most items are told apart by their first name: no list of all is made.
  for (const name in sent) {
    if (action !== undefined || !ACTIONS.has(name)) return undefined
    action = name
  }
  const said = action === undefined ? undefined : sent[action]
  if (action === undefined || !isObject(said)) return undefined
  for (const name in said) if (!SAID.has(name)) return undefined
  return { action, id: said._id, index: said._index }
}

/** Follows the items of a bulk in their order, so that the document behind an action is refused with it. */
export function openActions() {
  let isBehind = false
  return {
    refusalOf: (sent: unknown): ServiceError | undefined => {
      const found = bulkActionOf(sent)
      const wasBehind = isBehind
      isBehind = found !== undefined && found.action !== 'delete'
      if (found !== undefined) return refused(`asks for "${found.action}" in a line of its own`)
      return wasBehind
        ? refused('is the document of the line before it, which was refused')
        : undefined
    },
    skip: () => {
      isBehind = false
    },
  }
}

const FORM =
  'a bulk takes one line for each document, {"op": "index", "id": "7", "document": {"title": "…"}} or {"id": "7", "title": "…"}, and {"op": "delete", "id": "7"}'

function refused(what: string): ServiceError {
  return serviceError('VALIDATION_FAILED', `The item ${what}; ${FORM}.`)
}
