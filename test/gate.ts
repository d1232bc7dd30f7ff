/** What waits at a gate goes on once a test has opened it, and what comes later does not wait. */
export interface Gate {
  opened: Promise<void>
  open: () => void
}

export function closedGate(): Gate {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
