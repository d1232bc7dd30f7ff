import type { Piscina } from 'piscina'

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>
type Balancer = NonNullable<Options['loadBalancer']>
type Described = Parameters<Balancer>[1][number]

/** Classes whose objects describe themselves only once. */
const patched = new WeakSet<object>()

/** A thread that was given nothing for so long, and is not done, is at something that takes long. */
const LONG_MS = 25

/**
 * Gives a job to a thread without one, else to the one with the fewest, which are `each` at most. It gives it to none
 * where all are at something that takes long: there it would wait even when another thread is free again.
 */
export function openBalancer(each: number): Balancer {
  const givenMs = new WeakMap<Described, number>()
  return (_, threads) => {
    const [first] = threads
    if (first !== undefined) describeOnce(first)
    const nowMs = performance.now()
    const isHeldUp = (thread: Described) => nowMs - (givenMs.get(thread) ?? nowMs) > LONG_MS
    let chosen: Described | null = null
    for (const thread of threads) {
      const { currentUsage } = thread
      const isFewest = currentUsage < (chosen?.currentUsage ?? each)
      if (isFewest && (currentUsage === 0 || !isHeldUp(thread))) chosen = thread
      if (currentUsage === 0) break
    }
    if (chosen !== null) givenMs.set(chosen, nowMs)
    return chosen
  }
}

/**
 * Piscina describes every thread anew for every job, by an object with getters. Each such object gets hidden classes
 * of its own, which V8 keeps until the next full collection, and which bring that nearer.
 */
function describeOnce(description: Described): void {
  // The symbol under which a description holds its thread is not exported.
  const [held] = Object.getOwnPropertySymbols(description) as (keyof Described)[]
  const thread: unknown = held === undefined ? undefined : description[held]
  const prototype: unknown = thread instanceof Object ? Object.getPrototypeOf(thread) : undefined
  if (!(prototype instanceof Object) || patched.has(prototype)) return
  patched.add(prototype)
  const describe = Object.getOwnPropertyDescriptor(prototype, 'interface')?.get
  // A version that does it another way is left alone.
  if (describe === undefined) return
  const descriptions = new WeakMap<object, unknown>()
  Object.defineProperty(prototype, 'interface', {
    configurable: true,
    get(this: object) {
      const known = descriptions.get(this) ?? describe.call(this)
      descriptions.set(this, known)
      return known
    },
  })
}
