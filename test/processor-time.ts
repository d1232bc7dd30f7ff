/**
 * How long work that runs in one go has the processor, in ms: the least of some runs. Waiting while other processes have
 * it doesn't count, and what the first run alone pays, such as for being compiled, is left out.
 */
export function processorMs(work: () => void, runs = 5): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
