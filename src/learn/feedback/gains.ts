import { StartError } from '../../errors.ts'
import type { FeedbackEntry } from '../facts.ts'

/** What people's actions say about a result, between nothing (0) and all that one could wish for (1). */
export interface Gains {
  /** Undefined: the entry says nothing about the result, such as a view, or a word that nobody gave a gain. */
  of: (entry: Pick<FeedbackEntry, 'action' | 'rating' | 'dwellMs'>) => number | undefined
}

/** The action of an entry that names none: its rating is meant. */
const RATING = 'rating'

/** `dwell` is what a click is worth when the reader stayed for `DWELL_LONG_MS`. */
const DEFAULTS = {
  conversion: 1,
  purchase: 1,
  dwell: 1,
  add_to_cart: 0.7,
  bookmark: 0.6,
  share: 0.6,
  download: 0.6,
  click: 0.3,
  ignore: 0,
  dismiss: 0,
  abandon: 0,
  reformulate: 0,
}
/** Known words that report what was seen, and judge nothing. */
const NEUTRAL = ['impression', 'view', RATING]

const DWELL_SHORT_MS = 10_000
const DWELL_LONG_MS = 30_000
/** Share of a click that is left when the reader came back at once. */
const DWELL_SHORT_SHARE = 0.33

const BAD_SETTING = 'GAINS must be a list like click=0.3,purchase=1 with gains from 0 to 1.'
const NO_GAIN = `GAINS can't name ${RATING}: what an entry without an action says is its own rating.`

/**
 * Reads the setting GAINS: `word=gain` pairs, separated by commas, over the defaults; words are read as those of
 * entries are. Throws a StartError for anything else.
 */
export function openGains(setting: string): Gains {
  const gains = new Map<string, number>(Object.entries(DEFAULTS))
  for (const pair of setting.split(',')) {
    if (pair.trim() === '') continue
    const [, word = '', number = ''] = /^\s*([\w-]+)\s*=\s*([\d.]+)\s*$/.exec(pair) ?? []
    const gain = Number(number)
    if (word === '' || number === '' || !(gain >= 0 && gain <= 1))
      throw new StartError(BAD_SETTING, { lasts: true })
    const action = spell(word)
    if (action === RATING) throw new StartError(NO_GAIN, { lasts: true })
    gains.set(action, gain)
  }
  const click = gains.get('click') ?? DEFAULTS.click
  const stayed = gains.get('dwell') ?? DEFAULTS.dwell

  function clicked(dwellMs: number | undefined): number {
    if (dwellMs === undefined) return click
    if (dwellMs >= DWELL_LONG_MS) return Math.max(click, stayed)
    return dwellMs < DWELL_SHORT_MS ? click * DWELL_SHORT_SHARE : click
  }
  return {
    of: ({ action, rating, dwellMs }) => {
      if (action === RATING) return rating
      if (action === 'click' || action === 'dwell') return clicked(dwellMs)
      return gains.get(action)
    },
  }
}

/**
 * One spelling of an action: lower case, words joined by `_`, without the older prefix `USER_BEHAVIOR_`. The user's
 * action counts before the kind of engagement, unless only the latter is a known word; none at all is a rating.
 */
export function actionOf(userAction?: string, engagementType?: string): string {
  const words = [userAction, engagementType].map(spell).filter((word) => word !== '')
  return words.find(isKnown) ?? words[0] ?? RATING
}

/** `addToCart` and `dwell time` are words that are known; one that isn't keeps its own letters. */
function spell(word = ''): string {
  const parted = joined(word.replace(/([a-z])([A-Z])/g, '$1_$2')).replace(/^dwell_time$/, 'dwell')
  return isKnown(parted) ? parted : joined(word)
}

function joined(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^user_behaviou?r_/, '')
}

function isKnown(word: string): boolean {
  return Object.hasOwn(DEFAULTS, word) || NEUTRAL.includes(word)
}
