/** By which other programs are told to open their logs anew: Node would open a port for debuggers, or end. */
export const MEANINGLESS = ['SIGUSR1', 'SIGUSR2'] as const
