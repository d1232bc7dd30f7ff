import { expect, it } from 'vitest'
import { actionOf } from '../../../src/learn/feedback/actions.ts'
import { openGains } from '../../../src/learn/feedback/gains.ts'

it.each([
  ['purchase', undefined, 1],
  ['conversion', undefined, 1],
  ['add_to_cart', undefined, 0.7],
  ['bookmark', undefined, 0.6],
  ['share', undefined, 0.6],
  ['download', undefined, 0.6],
  ['click', undefined, 0.3],
  ['click', 9_999, 0.3 * 0.33],
  ['click', 10_000, 0.3],
  ['click', 29_999, 0.3],
  ['click', 30_000, 1],
  ['dwell', 60_000, 1],
  ['dwell', 5000, 0.3 * 0.33],
  ['rating', undefined, 0.6],
  ['dismiss', undefined, 0],
  ['ignore', undefined, 0],
  ['abandon', undefined, 0],
  ['reformulate', undefined, 0],
  ['impression', undefined, undefined],
  ['view', undefined, undefined],
  ['hover', undefined, undefined],
])('%s with a stay of %s ms is worth %s', (action, dwellMs, gain) => {
  const entry = { action, rating: 0.8, ...(dwellMs === undefined ? {} : { dwellMs }) }
  const found = openGains('').of(entry)
  if (gain === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(gain)
})

it('each gain is a setting, and new words may have one', () => {
  const gains = openGains(' click=0.5, Hover = 0.1 ,purchase=.9,')
  expect(gains.of({ action: 'click', rating: 0 })).toBe(0.5)
  expect(gains.of({ action: 'hover', rating: 0 })).toBe(0.1)
  expect(gains.of({ action: 'purchase', rating: 0 })).toBe(0.9)
  expect(gains.of({ action: 'share', rating: 0 })).toBe(0.6)
})

it('its words are read as those of entries are', () => {
  const gains = openGains('addToCart=0.2,USER_BEHAVIOR_SHARE=0.4,book-mark=0.5,Bookmark=0.3')
  for (const [word, gain] of [
    ['addToCart', 0.2],
    ['add-to-cart', 0.2],
    ['share', 0.4],
    ['book mark', 0.5],
    ['bookmark', 0.3],
  ] as const)
    expect(gains.of({ action: actionOf(word), rating: 0 }), word).toBe(gain)
})

it('a rating up to the middle gains nothing, the best one all', () => {
  const gains = openGains('')
  const worth = [0, 0.2, 0.5, 0.6, 0.75, 1].map((rating) => gains.of({ action: 'rating', rating }))
  expect(worth.map((gain) => Number(gain?.toFixed(3)))).toEqual([0, 0, 0, 0.2, 0.5, 1])
})

it('GAINS sets nothing for ratings', () => {
  expect(() => openGains('rating=0.5')).toThrow(/^GAINS can't name rating: /)
})

it.each(['click', 'click=', 'click=2', 'click=-1', 'click=1.2.3', 'a b=1', '=1'])(
  'GAINS=%s stops the start with a sentence',
  (setting) => {
    expect(() => openGains(setting)).toThrow(/^GAINS must be/)
  },
)

it.each([
  ['click', undefined, 'click'],
  ['CLICK', 'view', 'click'],
  ['USER_BEHAVIOR_ADD_TO_CART', undefined, 'add_to_cart'],
  ['USER_BEHAVIOR_DWELL_TIME', undefined, 'dwell'],
  ['addToCart', undefined, 'add_to_cart'],
  ['download_time', undefined, 'download_time'],
  ['wonderAtIt', undefined, 'wonderatit'],
  ['constructor', 'click', 'click'],
  [' Add-To Cart ', undefined, 'add_to_cart'],
  ['tapped', 'click', 'click'],
  ['tapped', 'poked', 'tapped'],
  [undefined, 'USER_BEHAVIOR_VIEW', 'view'],
  [undefined, undefined, 'rating'],
  ['', ' ', 'rating'],
  ['toString', undefined, 'tostring'],
])('action %s and engagement %s are read as %s', (userAction, engagementType, action) => {
  expect(actionOf(userAction, engagementType)).toBe(action)
})
