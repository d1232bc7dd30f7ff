/** What whoever starts a bench can put right; the message says how. */
export class Refusal extends Error {}

/** From here on a refusal, or an option that there is not, ends the process with its one sentence and 1. */
export function tellPlainly(): void {
  process.on('uncaughtException', (error: Error & { code?: unknown }) => {
    const isPlain = error instanceof Refusal || String(error.code).startsWith('ERR_PARSE_ARGS')
    console.error(isPlain ? error.message : error)
    process.exit(1)
  })
}

/** The number that an option says; throws a Refusal when it is none, or outside of its bounds. */
export function readNumber(
  option: string,
  text: string,
  { least = 0, most = Number.POSITIVE_INFINITY, whole = false } = {},
): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (number >= least && number <= most && (!whole || Number.isInteger(number))) return number
  const kind = whole ? 'a whole number' : 'a number'
  const bounds =
    most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`
  throw new Refusal(`--${option} must be ${kind} ${bounds}, not "${text}".`)
}

/** One of the words that an option may say; throws a Refusal that names them for any other. */
export function readChoice(option: string, text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text
  throw new Refusal(`--${option} must be one of ${choices.join(', ')}, not "${text}".`)
}
