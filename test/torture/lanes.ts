/** Clients side by side that go on until they are stopped. */
export interface Lanes {
  /** Resolves when every lane has ended; rejects with what ended one that no lost connection explains. */
  ended: Promise<unknown>
  stop: () => void
}

/** Starts `count` lanes; each is opened with its number and repeats its step. */
export function startLanes(count: number, open: (number: number) => () => Promise<void>): Lanes {
  let stopped = false
  const run = async (number: number) => {
    const step = open(number)
    try {
      while (!stopped) await step()
    } catch (error) {
      if (!isDisconnect(error)) throw error
    }
  }
  const ended = Promise.all(Array.from({ length: count }, (_, number) => run(number)))
  // A lane may fail long before anybody waits for it.
  ended.catch(() => undefined)
  return {
    ended,
    stop: () => {
      stopped = true
    },
  }
}

/** Whether the connection was lost, as it is when the server dies. */
function isDisconnect(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? ''
  return /^(UND_ERR|ECONN|EPIPE|ENOTCONN)/.test(code)
}
