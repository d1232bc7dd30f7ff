const ARROW = '=>'

/**
 * The words on each side of a rule of synonyms, without blanks around them, where nothing stands between commas empty; a
 * rule without an arrow has one side. A list of texts is the text that they are with commas between them. Undefined for
 * what is neither.
 */
export function sidesOf(rule: unknown): string[][] | undefined {
  const text = textOf(rule)
  return text?.split(ARROW).map((side) => side.split(',').map((word) => word.trim()))
}

/** The parts in which the core takes a rule that is a text: its words, or all of one with an arrow. */
export function partsOf(rule: string): string[] {
  return hasArrow(rule) ? [rule] : (sidesOf(rule)?.[0] ?? [])
}

export function hasArrow(text: string): boolean {
  return text.includes(ARROW)
}

function textOf(rule: unknown): string | undefined {
  if (typeof rule === 'string') return rule
  const isList = Array.isArray(rule) && rule.every((word) => typeof word === 'string')
  return isList ? rule.join(', ') : undefined
}
