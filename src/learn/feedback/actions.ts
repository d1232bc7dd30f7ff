/** What an action says of a result. */
interface Action {
  /** From nothing (0) to all that one could wish for (1), unless the setting GAINS says otherwise; absent: nothing at all. */
  gain?: number
  /** Somebody opened the result. */
  opens?: true
  /** A conversion, as tests count them. */
  converts?: true
}

/** The action of an entry that names none: its rating is meant. */
export const RATING = 'rating'

/** The actions that are known. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['conversion', { gain: 1, opens: true, converts: true }],
  ['purchase', { gain: 1, opens: true, converts: true }],
  // What a click is worth when the reader stayed.
  ['dwell', { gain: 1 }],
  ['add_to_cart', { gain: 0.7, opens: true }],
  ['bookmark', { gain: 0.6, opens: true }],
  ['share', { gain: 0.6, opens: true }],
  ['download', { gain: 0.6, opens: true }],
  ['click', { gain: 0.3, opens: true }],
  // Seen, and not chosen.
  ['ignore', { gain: 0 }],
  ['dismiss', { gain: 0 }],
  ['abandon', { gain: 0 }],
  ['reformulate', { gain: 0 }],
  // What was seen, judged by nobody.
  ['impression', {}],
  ['view', {}],
  [RATING, {}],
])

/**
 * One spelling of an action: lower case, words joined by `_`, without the older prefix `USER_BEHAVIOR_`. The user's
 * action counts before the kind of engagement, unless only the latter is a known word; none at all is a rating.
 */
export function actionOf(userAction?: string, engagementType?: string): string {
  const words = [userAction, engagementType].map(spell).filter((word) => word !== '')
  return words.find((word) => ACTIONS.has(word)) ?? words[0] ?? RATING
}

/** `addToCart` and `dwell time` are words that are known; one that isn't keeps its own letters. */
export function spell(word = ''): string {
  const parted = joined(word.replace(/([a-z])([A-Z])/g, '$1_$2')).replace(/^dwell_time$/, 'dwell')
  return ACTIONS.has(parted) ? parted : joined(word)
}

function joined(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^user_behaviou?r_/, '')
}
