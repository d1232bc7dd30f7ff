import type { Config } from '../../config.ts'

/** Clients are told up to a tenth of that time late that it is over (`http/flight.ts`). */
const TOLD_BY = 1.1

/** When a search that began then ends, whatever it is doing: its client was told by then that it took too long. By `sharedMs`. */
export function deadlineOf(
  startedMs: number,
  { requestTimeoutMs }: Pick<Config, 'requestTimeoutMs'>,
): number {
  return startedMs + TOLD_BY * requestTimeoutMs
}
