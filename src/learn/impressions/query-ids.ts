/** The least of the ids that the service makes at a time, epoch ms: a UUIDv7 begins with its time. */
export function firstIdOf(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
