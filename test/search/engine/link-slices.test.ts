import { expect, it, vi } from 'vitest'
import { native } from '../../../src/native.ts'
import type { EngineState, OpenState } from '../../../src/search/engine/engine-state.ts'
import { linkSoon } from '../../../src/search/engine/link.ts'

let vectors = 10_000
// The core is asked by number, and none is open here.
vi.spyOn(native, 'stats').mockImplementation(() => JSON.stringify({ vectors }))

/** Grows a graph that is never whole but after `most` slices; `during` a slice something may happen to the index. */
async function slicesOf(
  changed: Partial<OpenState>,
  { most = 20, during = () => undefined }: { most?: number; during?: During } = {},
) {
  let slices = 0
  const run = async () => {
    slices += 1
    during({ slices, engine, state })
    return slices < most
  }
  const engine = { log: {}, closing: false, pool: { run } } as unknown as EngineState
  const entry = { record: { name: 'papers', engineId: 1 } }
  const state = { entry, seen: 1, published: 1, linked: false, ...changed } as unknown as OpenState
  linkSoon(engine, state)
  await state.linking
  return { slices, state }
}
type During = (now: { slices: number; engine: EngineState; state: OpenState }) => void

it('the graph of an index at rest grows to its end in one go', async () => {
  const { slices, state } = await slicesOf({})
  expect(slices).toBe(20)
  expect(state).toMatchObject({ linked: true, reshaped: true, linking: undefined })
})

it('the graph of an index under way grows for four slices a round', async () => {
  const { slices, state } = await slicesOf({ seen: 1, published: 2 })
  expect(slices).toBe(4)
  expect(state.linked).toBe(false)
  const whole = await slicesOf({ seen: 1, published: 2 }, { most: 3 })
  expect(whole.slices).toBe(3)
  expect(whole.state.linked).toBe(true)
})

it('what is published meanwhile is not linked yet', async () => {
  const during: During = ({ slices, state }) => {
    if (slices === 2) state.published = 2
  }
  expect((await slicesOf({}, { most: 2, during })).state.linked).toBe(false)
  // From then on the index is under way.
  expect((await slicesOf({}, { during })).slices).toBe(4)
})

it.each<[string, During]>([
  ['learns a space', ({ state }) => Object.assign(state, { fitting: Promise.resolve() })],
  ['closes the index', ({ state }) => Object.assign(state, { retiring: Promise.resolve() })],
  ['drops it', ({ state }) => Object.assign(state.entry, { dropped: true })],
  ['stops the service', ({ engine }) => Object.assign(engine, { closing: true })],
])('whoever %s waits for no more than a slice', async (_what, happens) => {
  const { slices, state } = await slicesOf(
    {},
    { during: (now) => void (now.slices === 2 && happens(now)) },
  )
  expect(slices).toBe(2)
  // What there is of it belongs into the files.
  expect(state).toMatchObject({ linked: false, reshaped: true })
})

it('few vectors are searched without a graph', async () => {
  vectors = 9999
  expect((await slicesOf({})).slices).toBe(0)
})
