/** What counted of a session for a pair, and when: [time in ms, millionths, …], any two at least `SLOT_MS` apart. */
export type Slots = number[]

/** One session counts at most once for a pair within this time, and at most `SLOTS_MAX` times in all. */
const SLOT_MS = 30 * 60_000
const SLOTS_MAX = 3

/**
 * Lets `millionths` count at a time. When something counted close to it already, only what surpasses that is added;
 * when the session has had its say, nothing is. Returns what to add, the time for which it counts, and whether nothing
 * counted then.
 */
export function fillSlot(
  slots: Slots,
  timeMs: number,
  millionths: number,
): { timeMs: number; change: number; isNew: boolean } | undefined {
  const at = slotAt(slots, timeMs)
  if (at !== undefined) {
    const before = slots[at + 1] as number
    const change = millionths - before
    if (change <= 0) return undefined
    slots[at + 1] = millionths
    return { timeMs: slots[at] as number, change, isNew: before === 0 }
  }
  if (slots.length >= 2 * SLOTS_MAX) return undefined
  slots.push(timeMs, millionths)
  return { timeMs, change: millionths, isNew: true }
}

/** Empties the slot at a time; returns what to take away, and the time for which it counted. */
export function emptySlot(
  slots: Slots,
  timeMs: number,
): { timeMs: number; change: number } | undefined {
  const at = slotAt(slots, timeMs)
  if (at === undefined) return undefined
  const change = -(slots[at + 1] as number)
  slots[at + 1] = 0
  return { timeMs: slots[at] as number, change }
}

/** Where the slot close to a time begins. */
function slotAt(slots: Slots, timeMs: number): number | undefined {
  for (let at = 0; at < slots.length; at += 2) if (isCloseTo(slots[at] as number, timeMs)) return at
  return undefined
}

/** Whether two times share a slot. */
export function isCloseTo(firstMs: number, secondMs: number): boolean {
  return Math.abs(firstMs - secondMs) < SLOT_MS
}

/** What counts: its time, and its millionths. */
export function* filledSlots(slots: Slots): Iterable<[number, number]> {
  for (let at = 0; at < slots.length; at += 2) {
    const amount = slots[at + 1] as number
    if (amount > 0) yield [slots[at] as number, amount]
  }
}
