import { describe, expect, it } from 'vitest'
import { QUERY_HASH } from '../learner.ts'
import { DOCUMENTS, openWorkshop, type Workshop } from './workshop.ts'

async function clickThird(shop: Workshop, times: number) {
  for (let user = 0; user < times; user += 1) {
    const session = await shop.session()
    const queryId = shop.searchIn(session)
    await shop.tell(session, queryId, 'c')
  }
  await shop.loop.caughtUp()
}

describe('a replay of logged searches', () => {
  it('estimates what a change would have made of their clicks', async () => {
    const shop = openWorkshop()
    await clickThird(shop, 6)
    const lifted = await shop.apply({ pins: ['c'] }, { queryHash: QUERY_HASH })
    expect(lifted.validation).toMatchObject({
      samples: 6,
      estimates: { ctrChange: 2, mrrChange: 2, clickPosition: 1 },
    })
    const sunk = await shop.apply({ boosts: { c: -0.05 } }, { queryHash: QUERY_HASH })
    // Hits lie .01 apart: the third one comes to stand seventh, or sixth by its place.
    expect(sunk.validation.estimates.clickPosition).toBeGreaterThanOrEqual(7)
    expect(sunk.validation.estimates.ctrChange).toBeLessThan(-0.5)
  })

  it('moves what a change names in the index that it names alone', async () => {
    const shop = openWorkshop()
    await clickThird(shop, 3)
    const positionWith = async (changes: object) => {
      const sent = { queryHash: QUERY_HASH, acceptanceThresholds: { clickPosition: { max: 0 } } }
      return (await shop.apply({ ...changes }, sent)).validation.estimates.clickPosition
    }
    expect(await positionWith({ pins: [{ id: 'c', index: 'shop' }] })).toBe(1)
    expect(await positionWith({ pins: [{ id: 'c', index: 'other' }] })).toBe(3)
    expect(await positionWith({ boosts: [{ id: 'c', index: 'shop', value: 1 }] })).toBe(1)
    expect(await positionWith({ boosts: [{ id: 'c', index: 'other', value: 1 }] })).toBe(3)
  })

  it('does not take for the work of a change what a draw moved', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    // The last of ten came to stand first, and was clicked there.
    const order = [9, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    const scores = order.map((place) => 1 - place / 100)
    const drawn = { seed: 1, epsilon: 1, temperature: 1, explored: true, relative: false, order }
    const queryId = shop.search(session, DOCUMENTS, { scores, exploration: drawn })
    await shop.tell(session, queryId, 'a')
    await shop.loop.caughtUp()
    const none = await shop.apply({ boosts: { other: 1 } }, { queryHash: QUERY_HASH })
    expect(none.validation).toMatchObject({
      samples: 1,
      estimates: { ctrChange: 0, mrrChange: 0, clickPosition: 10 },
    })
    const lifted = await shop.apply({ pins: ['a'] }, { queryHash: QUERY_HASH })
    expect(lifted.validation.estimates).toEqual({ ctrChange: 9, mrrChange: 9, clickPosition: 1 })
  })

  it('moves nothing but what is pinned in the order of a model', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    await shop.tell(session, shop.search(session, DOCUMENTS, { model: 'ranks@1' }), 'c')
    await shop.loop.caughtUp()
    const boosted = await shop.apply({ boosts: { c: 1 } }, { queryHash: QUERY_HASH })
    expect(boosted.validation.estimates).toEqual({ ctrChange: 0, mrrChange: 0, clickPosition: 3 })
    const pinned = await shop.apply({ pins: ['c'] }, { queryHash: QUERY_HASH })
    expect(pinned.validation.estimates).toEqual({ ctrChange: 2, mrrChange: 2, clickPosition: 1 })
  })

  it('leaves what others pin where it is, behind what it pins itself', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const scores = [0.1, 0.9, 0.8]
    await shop.tell(session, shop.search(session, DOCUMENTS, { scores, pinned: 1 }), 'c')
    await shop.loop.caughtUp()
    const none = await shop.apply({ boosts: { other: 1 } }, { queryHash: QUERY_HASH })
    expect(none.validation.estimates).toEqual({ ctrChange: 0, mrrChange: 0, clickPosition: 3 })
    const boosted = await shop.apply({ boosts: { c: 0.5 } })
    expect(boosted.validation.estimates).toMatchObject({ clickPosition: 2 })
    const pinned = await shop.apply({ pins: ['c'] }, { queryHash: QUERY_HASH })
    expect(pinned.validation.estimates).toMatchObject({ clickPosition: 1 })
  })

  it('keeps a change out that would miss its thresholds', async () => {
    const shop = openWorkshop()
    await clickThird(shop, 3)
    const thresholds = { acceptanceThresholds: { ctrChange: -0.1 } }
    expect((await shop.apply({ boosts: { c: -1 } }, thresholds)).status).toBe('REJECTED')
    expect((await shop.apply({ boosts: { c: 1 } }, thresholds)).status).toBe('CANARY')
  })

  it('says when there is nothing to replay, or no way to', async () => {
    const shop = openWorkshop()
    const pinned = await shop.apply({ pins: ['c'] })
    expect(pinned.validation).toMatchObject({ passed: true, samples: 0 })
    expect(pinned.validation.note).toBe('No clicked searches are logged to replay.')
    await clickThird(shop, 1)
    const again = await shop.apply({ boosts: { c: 1 } })
    expect(again.validation.note).toBe('One clicked search was ranked anew.')
    const other = await shop.apply({ fusion: 'rrf' })
    expect(other.validation.note).toBe("A change of fusion can't be replayed on logged searches.")
  })

  it('reckons other weights of the legs from searches that keep all they need', async () => {
    const shop = openWorkshop()
    // Words like the first hit best, meaning the last; both come to the scores that were shown.
    const row = (place: number, width: number) => {
      const [text, vector] = [1 - place / 10, place / 10]
      return [text, vector, 7, 0.5, 1, 1, 1 - place / 100].slice(0, width)
    }
    const clickLast = async (width: number, searcher?: string) => {
      const rows = Float32Array.from(DOCUMENTS.flatMap((_, place) => row(place, width)))
      const queryId = shop.search(searcher, DOCUMENTS, { features: width }, rows)
      await shop.tell(searcher ?? (await shop.session()), queryId, 'j')
      await shop.loop.caughtUp()
    }
    await clickLast(4)
    await clickLast(7, await shop.session())
    const byMeaning = await shop.apply({ legWeights: { text: 0, vector: 1 } })
    expect(byMeaning.validation).toMatchObject({ samples: 1, estimates: { clickPosition: 1 } })
  })
})
