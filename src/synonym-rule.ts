const ARROW = '=>'

/**
 * The words on each side of a rule of synonyms, without the blanks around them; empty where nothing stands between
 * two commas. A rule without an arrow has one side. A list of texts counts as one text with commas between them.
 * Undefined for anything else.
 */
export function sidesOf(rule: unknown): string[][] | undefined {
  const text = textOf(rule)
  return text?.split(ARROW).map((side) => side.split(',').map((word) => word.trim()))
}

/** What rules of synonyms may come to, and how they are read. */
export interface SynonymsMax {
  /** Others that one word may be given. */
  othersMax: number
  /** Others of all words together. */
  pairsMax: number
  /** A rule with an arrow gives the words behind it those before it, too. */
  bothWays: boolean
}

/** The place of the rule that is too much in a list, and why. */
export interface SynonymExcess {
  at: number
  means: string
}

/** Finds the first rule of a list that goes too far; what all rules of one index or change come to is added up. */
export type CheckSynonyms = (rules: readonly unknown[]) => SynonymExcess | undefined

/** Tells why a rule goes too far with those before it in its list. */
export type CheckRule = (rule: unknown) => string | undefined

/**
 * Opens the check of whole lists of rules. The core keeps each pair of words that mean the same: a thousand words in
 * one rule are a million pairs.
 */
export function openSynonymCheck(most: SynonymsMax): CheckSynonyms {
  const openList = openSynonymLists(most)
  return (rules) => {
    const check = openList()
    for (const [at, rule] of rules.entries()) {
      const means = check(rule)
      if (means !== undefined) return { at, means }
    }
    return undefined
  }
}

/** As `openSynonymCheck`, for lists that are checked a rule at a time: each call begins a list. */
export function openSynonymLists({ othersMax, pairsMax, bothWays }: SynonymsMax): () => CheckRule {
  let pairs = 0
  return () => {
    const others = new Map<string, number>()
    return (rule) => {
      for (const [word, more] of othersIn(rule, bothWays)) {
        const count = (others.get(word) ?? 0) + more
        others.set(word, count)
        pairs += more
        if (count > othersMax) return `gives a word more than ${othersMax} others: leave some out`
        if (pairs > pairsMax) return `is too much: all words together may have ${pairsMax} others`
      }
      return undefined
    }
  }
}

/** Each word of a rule, with how many others the rule gives it; none of what is no rule. */
function othersIn(rule: unknown, bothWays: boolean): [word: string, more: number][] {
  const [from = [], to] = sidesOf(rule) ?? []
  const counted = (words: string[], more: number): [string, number][] =>
    words.map((word) => [word.toLowerCase(), more])
  if (to === undefined) return counted(from, from.length - 1)
  return [...counted(from, to.length), ...counted(bothWays ? to : [], from.length)]
}

/** How many others the words of a rule of an index have together. */
export function othersOf(rule: unknown): number {
  return othersIn(rule, true).reduce((sum, [, more]) => sum + more, 0)
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
