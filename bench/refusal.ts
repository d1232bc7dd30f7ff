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
