import { plainValue } from './plain-value.ts'
import { commandError } from './terminal.ts'

const FILTER_FORMS = 'field=value, field!=value or field>=value'
const BOUNDS: Record<string, string> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' }

/**
 * Reads `field=value`, `field!=value`, `field>=value` and the like. The same field with = several
 * times is any of the values; everything else must hold together. A value that is plainly a number,
 * true or false is sent as such; in double quotes it stays text.
 */
export function readFilterOptions(filters: readonly string[]): Record<string, unknown> {
  const equal = new Map<string, unknown[]>()
  const bounds: Record<string, unknown>[] = []
  for (const filter of filters) {
    const [, field, operator, text] = /^([^=<>!]+?)(!=|>=|<=|=|>|<)(.*)$/s.exec(filter) ?? []
    if (field === undefined || operator === undefined || text === undefined)
      throw commandError(`--filter must read ${FILTER_FORMS}, not "${filter}".`)
    if (/^[=<>]/.test(text))
      throw commandError(
        `--filter "${filter}" has two signs, but must read ${FILTER_FORMS}; ` +
          'a value that begins with a sign stands in double quotes.',
      )
    const value = filterValue(text)
    if (operator === '=') equal.set(field, [...(equal.get(field) ?? []), value])
    else if (operator === '!=') bounds.push({ [field]: { not: value } })
    else bounds.push({ [field]: { [BOUNDS[operator] ?? '']: value } })
  }
  const any = [...equal].map(([field, values]) => ({ [field]: values }))
  return { and: [...any, ...bounds] }
}

function filterValue(text: string): string | number | boolean {
  const quoted = /^"(.*)"$/s.exec(text)
  if (quoted !== null) return quoted[1] ?? ''
  return plainValue(text)
}
