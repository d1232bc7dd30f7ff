import { shownValue } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { FeedbackEntry } from '../facts.ts'
import { ACTIONS, RATING, spell } from './actions.ts'

/** What people's actions say about a result, between nothing (0) and all that one could wish for (1). */
export interface Gains {
  /** Undefined: the entry says nothing about the result, such as a view, or a word that nobody gave a gain. */
  of: (entry: Pick<FeedbackEntry, 'action' | 'rating' | 'dwellMs'>) => number | undefined
  /** What a click is worth of which nobody knows how long the reader stayed. */
  click: number
}

/** `dwell` is what a click is worth when the reader stayed for so long. */
const DWELL_LONG_MS = 30_000
const DWELL_SHORT_MS = 10_000
/** Share of a click that is left when the reader came back at once. */
const DWELL_SHORT_SHARE = 0.33
/** A rating up to here says that a result was not what was wanted: as its own value, even a bad one would be praise. */
const RATING_NEUTRAL = 0.5

const BAD_SETTING = 'GAINS must be a list like click=0.3,purchase=1 with gains from 0 to 1'
const NO_GAIN = `GAINS can't name ${RATING}: an entry without an action gains by its own rating.`

/**
 * Reads the setting GAINS: `word=gain` pairs, separated by commas, over the defaults; words are read as those of
 * entries are. Throws a StartError for anything else.
 */
export function openGains(setting: string): Gains {
  const gains = new Map<string, number>()
  for (const [action, { gain }] of ACTIONS) if (gain !== undefined) gains.set(action, gain)
  for (const pair of setting.split(',')) {
    if (pair.trim() === '') continue
    const [, word = '', number = ''] = /^\s*([\w-]+)\s*=\s*([\d.]+)\s*$/.exec(pair) ?? []
    const gain = Number(number)
    if (word === '' || number === '' || !(gain >= 0 && gain <= 1))
      throw new StartError(`${BAD_SETTING}, not ${shownValue(pair)}.`, { lasts: true })
    const action = spell(word)
    if (action === RATING) throw new StartError(NO_GAIN, { lasts: true })
    gains.set(action, gain)
  }
  const click = gains.get('click') ?? 0
  const stayed = gains.get('dwell') ?? 0

  function clicked(dwellMs: number | undefined): number {
    if (dwellMs === undefined) return click
    if (dwellMs >= DWELL_LONG_MS) return Math.max(click, stayed)
    return dwellMs < DWELL_SHORT_MS ? click * DWELL_SHORT_SHARE : click
  }
  return {
    click,
    of: ({ action, rating, dwellMs }) => {
      if (action === RATING) return Math.max(0, (rating - RATING_NEUTRAL) / (1 - RATING_NEUTRAL))
      if (action === 'click' || action === 'dwell') return clicked(dwellMs)
      return gains.get(action)
    },
  }
}
