/** How long nothing comes before that is a pause. */
const PAUSE_MS = 250

/**
 * The pieces of a stream, and `undefined` in each pause between them: whoever gathers pieces then need not wait for more.
 */
export async function* withPauses(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | undefined> {
  const pieces = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = pieces.next()
      if (await isLate(next)) yield undefined
      const { done, value } = await next
      if (done === true) return
      yield value
    }
  } finally {
    // Not awaited: a stream that is given up in a pause ends with its next piece only.
    pieces.return?.().catch(() => undefined)
  }
}

async function isLate(next: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, PAUSE_MS, LATE)
  })
  try {
    return (await Promise.race([next, late])) === LATE
  } finally {
    clearTimeout(timer)
  }
}

const LATE = Symbol('late')
