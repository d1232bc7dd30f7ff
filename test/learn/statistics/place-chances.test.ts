import { describe, expect, it } from 'vitest'
import { marginalRows } from '../../../src/learn/impressions/exploration.ts'
import {
  addPlaceClick,
  chanceAt,
  firstChances,
  likelyPlaces,
  noPlaceClicks,
  type PlaceClicks,
} from '../../../src/learn/statistics/place-chances.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

const SHARE = 0.05

/** Clicks on pages of ten, of which a share is drawn, of people who look at place k, from 1, with a chance. */
function watch(look: (place: number) => number, pages: number, worth = [0.9, 0.3]): PlaceClicks {
  const sums = noPlaceClicks()
  const random = seeded(7)
  const scores = Array.from({ length: 10 }, (_, at) => 1 - at / 20)
  const rows = marginalRows(scores, 0.1)
  for (let page = 0; page < pages; page += 1)
    for (let own = 0; own < 10; own += 1) {
      const chances = scores.map((_, at) => {
        return (at === own ? 1 - SHARE : 0) + SHARE * (rows[at * 10 + own] as number)
      })
      let place = 0
      for (let drawn = random() - (chances[0] as number); drawn > 0 && place < 9; ) {
        place += 1
        drawn -= chances[place] as number
      }
      // What stands further up is better.
      if (random() < (worth[own < 3 ? 0 : 1] as number) * look(place + 1))
        addPlaceClick(sums, { place, own }, chances)
    }
  return sums
}

const ETAS = [0, 0.5, 1, 2]
const curve = (eta: number) => Array.from({ length: 10 }, (_, at) => (at + 1) ** -eta)

describe('the chances of places', () => {
  it.each(ETAS)('are those of an η of %d until clicks say otherwise', (eta) => {
    for (const [at, chance] of likelyPlaces(noPlaceClicks(), eta).entries())
      expect(chance).toBeCloseTo(curve(eta)[at] as number, 12)
    const sums = watch((place) => place ** -eta, 3000)
    for (const [at, chance] of likelyPlaces(sums, eta).entries())
      expect(Math.abs(chance - (curve(eta)[at] as number))).toBeLessThan(0.15)
  })

  it('are found where people look at the first hits alike and at no other', () => {
    for (const [last, eta] of [
      [3, 1],
      [5, 0.5],
    ] as const) {
      const chances = likelyPlaces(
        watch((place) => (place <= last ? 1 : 0), 3000),
        eta,
      )
      for (const [at, chance] of chances.entries())
        if (at < last) expect(chance).toBeGreaterThan(0.65)
        else expect(chance).toBeLessThan(0.03)
    }
  })

  it('never rise from place to place, and are never next to nothing', () => {
    const sums = watch((place) => (place % 2 === 0 ? 1 : 0.2), 2000)
    const chances = likelyPlaces(sums, 1)
    for (const [at, chance] of chances.entries())
      expect(chance).toBeLessThanOrEqual(at === 0 ? 1 : (chances[at - 1] as number))
    expect(
      Math.min(
        ...likelyPlaces(
          watch((place) => Number(place === 1), 3000),
          0,
        ),
      ),
    ).toBe(0.01)
    // One that was set to look away faster stays.
    expect(likelyPlaces(noPlaceClicks(), 4).at(-1)).toBeCloseTo(1e-4, 12)
  })

  it('where nobody clicks beside many in the first place, are low before draws can tell', () => {
    const sums = noPlaceClicks()
    const stays = Array.from({ length: 10 }, (_, at) => Number(at === 0))
    for (let click = 0; click < 99; click += 1) addPlaceClick(sums, { place: 0, own: 0 }, stays)
    const low = likelyPlaces(sums, 0)
    for (const chance of low.slice(1)) expect(chance).toBeCloseTo(0.1, 12)
    // A tenth of the clicks is what hits that are worth less get when they are looked at.
    const last = stays.map((_, at) => Number(at === 9))
    for (let click = 0; click < 9; click += 1) addPlaceClick(sums, { place: 9, own: 9 }, last)
    for (const chance of likelyPlaces(sums, 0)) expect(chance).toBeCloseTo(1, 12)
  })

  it('are what draws say where hits further down are worth nothing, and yet looked at', () => {
    const chances = likelyPlaces(
      watch(() => 1, 3000, [0.9, 0]),
      0,
    )
    for (const chance of chances) expect(chance).toBeGreaterThan(0.2)
  })
})

describe('the chance of a place', () => {
  const places = [1, 0.9, 0.6, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.08]

  it('is that of η, or what clicks say, which goes on as η has it', () => {
    expect(chanceAt({ eta: 0.5 }, 4)).toBe(0.5)
    expect(chanceAt({ eta: 1, places }, 1)).toBe(1)
    expect(chanceAt({ eta: 1, places }, 4)).toBe(0.2)
    expect(chanceAt({ eta: 1, places }, 10)).toBe(0.08)
    expect(chanceAt({ eta: 1, places }, 20)).toBeCloseTo(0.04, 12)
    expect(firstChances({ eta: 1, places })).toEqual(places)
    expect(firstChances({ eta: 1 })[2]).toBe(0.333)
  })

  it('lies between those of two places for what was looked at in both', () => {
    // Once in the third and once in the fourth place: 1/p is 7/24 on average.
    expect(chanceAt({ eta: 1, places }, 24 / 7)).toBeCloseTo(0.4, 12)
    expect(chanceAt({ eta: 1, places: curve(1) }, 24 / 7)).toBeCloseTo(7 / 24, 12)
  })
})
