import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  preferenceOf,
  type Team,
  teamDraft,
  winnerOf,
} from '../../../src/learn/statistics/interleaving.ts'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'
import { addUnit, NO_UNITS } from '../../../src/learn/statistics/sums.ts'

/** Heads for a, tails for b. */
function tosses(...teams: Team[]): Random {
  const values = teams.map((team) => (team === 'a' ? 0.25 : 0.75))
  return () => values.shift() ?? 0
}

describe('a team draft', () => {
  it('lets the teams pick by turns, after a coin in each round', () => {
    const draft = teamDraft(['1', '2', '3', '4'], ['2', '5', '1', '6'], tosses('a', 'b'), 4)
    const teams = ['a', 'b', 'b', 'a']
    expect(draft).toEqual({ list: ['1', '2', '5', '3'], teams, credited: 4 })
  })

  it('of two equal rankings is that ranking', () => {
    const list = ['x', 'y', 'z']
    expect(teamDraft(list, list, seeded(1), 10).list).toEqual(list)
  })

  it('goes on alone when one ranking has nothing left, without credit', () => {
    const draft = teamDraft(['1', '2'], ['1', '3', '4', '5'], tosses('a', 'a'), 4)
    expect(draft).toEqual({ list: ['1', '3', '2', '4'], teams: ['a', 'b', 'a', 'b'], credited: 2 })
    expect(teamDraft([], [], seeded(1), 3)).toEqual({ list: [], teams: [], credited: 0 })
  })

  it('of two rankings that end together is credited to the last hit', () => {
    expect(teamDraft(['1', '2', '3'], ['3', '1', '2'], seeded(1), 3).credited).toBe(3)
    expect(teamDraft(['1'], ['2'], seeded(1), 1).credited).toBe(1)
  })

  it.each([
    [
      ['1', '2', '3'],
      ['1', '2', '3', '4', '5', '6'],
    ],
    [['1'], ['1', '2', '3']],
    [[], ['1', '2', '3']],
  ])('prefers no ranking for going on where %j ends', (a, b) => {
    const wins = new Map(b.map((hit) => [hit, 0]))
    for (let coins = 0; coins < 2 ** b.length; coins += 1) {
      const heads = b.map((_, at): Team => ((coins >> at) % 2 === 0 ? 'a' : 'b'))
      const { list, teams, credited } = teamDraft(a, b, tosses(...heads), b.length)
      for (const [place, hit] of list.entries())
        wins.set(hit, wins.get(hit)! + winnerOf(teams.slice(0, credited), [place]))
    }
    expect([...wins.values()]).toEqual(b.map(() => 0))
  })

  it('prefers no ranking for where people click, whatever it holds', () => {
    const [a, b] = [
      ['1', '2', '3', '4', '5'],
      ['1', '6', '7'],
    ]
    for (const clicked of [[0], [1], [0, 2], [0, 3], [1, 2], [0, 1, 3], [0, 2, 4]]) {
      let lead = 0
      for (let coins = 0; coins < 2 ** 5; coins += 1) {
        const heads = Array.from({ length: 5 }, (_, at) => ((coins >> at) % 2 === 0 ? 'a' : 'b'))
        const { teams, credited } = teamDraft(a, b, tosses(...(heads as Team[])), 7)
        lead += winnerOf(teams.slice(0, credited), clicked)
      }
      expect([clicked, lead]).toEqual([clicked, 0])
    }
  })

  it('holds each hit once, as many as asked, and fair teams', () => {
    const ranking = fc.uniqueArray(fc.integer({ min: 0, max: 15 }).map(String))
    const size = fc.integer({ min: 0, max: 12 })
    fc.assert(
      fc.property(ranking, ranking, size, fc.nat(), (a, b, wanted, seed) => {
        const { list, teams } = teamDraft(a, b, seeded(seed), wanted)
        const all = new Set([...a, ...b])
        expect(new Set(list).size).toBe(list.length)
        expect(list).toHaveLength(Math.min(wanted, all.size))
        expect(teams).toHaveLength(list.length)
        list.forEach((hit, place) => {
          expect(teams[place] === 'a' ? a : b).toContain(hit)
        })
        if (a.length >= wanted * 2 && b.length >= wanted * 2) {
          const lead = teams.filter((team) => team === 'a').length * 2 - teams.length
          expect(Math.abs(lead)).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('gives the search to the team whose hits were clicked more', () => {
    const teams: Team[] = ['a', 'b', 'b', 'a']
    expect(winnerOf(teams, [1, 2, 0])).toBe(1)
    expect(winnerOf(teams, [3])).toBe(-1)
    expect(winnerOf(teams, [0, 1])).toBe(0)
    expect(winnerOf(teams, [9])).toBe(0)
    expect(winnerOf('ab--', [2, 3])).toBe(0)
  })
})

describe('the preference', () => {
  const a = ['1', '2', '3', '4', '5', '6']
  const b = ['3', '6', '1', '5', '2', '4']

  /** Sums of simulated units that click a hit with its own probability, places mattering or not. */
  function sumsOf(units: number, clickOf: (hit: string) => number, random: Random) {
    let sums = NO_UNITS
    for (let unit = 0; unit < units; unit += 1) {
      let x = 0
      let y = 0
      for (let search = 0; search < 3; search += 1) {
        const { list, teams } = teamDraft(a, b, random, 4)
        const clicked = list.flatMap((hit, place) =>
          random() < clickOf(hit) / (1 + place) ? [place] : [],
        )
        const winner = winnerOf(teams, clicked)
        x += winner
        y += Math.abs(winner)
      }
      if (y > 0) sums = addUnit(sums, { x, y })
    }
    return sums
  }

  it('goes to the ranking with the good hits in front, for good', () => {
    const read = preferenceOf(sumsOf(2000, (hit) => (hit === '6' ? 0.8 : 0.1), seeded(1)))!
    expect(read.preference).toBeGreaterThan(0.2)
    expect(read.significant).toBe(true)
    expect(read.alwaysValid!.low).toBeGreaterThan(0)
  })

  it('goes to neither when every hit is as good', () => {
    const alarms = Array.from({ length: 200 }, (_, seed) =>
      preferenceOf(sumsOf(300, () => 0.3, seeded(seed))),
    ).filter((read) => read!.significant)
    expect(alarms.length).toBeLessThanOrEqual(10)
  })

  it('is not called with few units', () => {
    const few = sumsOf(30, () => 0.5, seeded(1))
    expect(preferenceOf(few)).toMatchObject({ significant: false })
    expect(preferenceOf(NO_UNITS)).toBeUndefined()
  })
})
