interface Canonical {
  /** Keys of the object itself that are taken; all of them unless given. */
  only?: ReadonlySet<string>
  /** Lists are sets: their order says nothing. */
  areSets?: boolean
}

/** JSON with sorted keys, so that equal objects give equal text; without keys whose value is undefined. */
export function canonicalJson(value: unknown, { only, areSets = false }: Canonical = {}): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return listJson(value, areSets)
  let text = ''
  const keys = Object.keys(value).filter((key) => only?.has(key) !== false)
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    const inner = (value as Record<string, unknown>)[key]
    if (inner === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner, { areSets })}`
  }
  return `{${text}}`
}

function listJson(list: readonly unknown[], areSets: boolean): string {
  // The long lists, those of models, hold numbers.
  if (!areSets && list.every((each) => typeof each !== 'object')) return JSON.stringify(list)
  const items = list.map((each) => canonicalJson(each, { areSets }))
  return `[${areSets ? items.sort() : items}]`
}
