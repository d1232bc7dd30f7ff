import { setTimeout as sleep } from 'node:timers/promises'

const AGAIN_MS = 100

/**
 * The answer of a job that reads what people did. While that is being folded anew the job would see a part of it, and
 * answers nothing: it is asked again.
 */
export async function askWhole<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(AGAIN_MS)
  }
}
