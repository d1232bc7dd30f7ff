import { ServiceError } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import { allForgetting } from '../loop/forgetting.ts'
import { forgetTogether } from './forget.ts'
import type { ForgetRequest, Forgotten, SubjectParts } from './steps.ts'

/** People, as learning knows them: sessions and users. */
export interface Subjects {
  /**
   * Removes a session, or a user's sessions, with what they did from the log, takes their names out of the history, and
   * learns anew from what is left, or unlearns what they taught when too little is left for that. Who comes while others
   * are forgotten shares what takes long with whoever else does. The same subject again waits for the first.
   * Throws SUBJECT_NOT_FOUND when nothing is known of it.
   */
  forget: (subject: string) => Promise<Forgotten>
}

interface ForgettingParts extends SubjectParts {
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** Subjects that are looked for at once: what each did is held in memory meanwhile. */
const TOGETHER_MAX = 16

export function openSubjects(parts: ForgettingParts): Subjects {
  const flights = new Map<string, Promise<Forgotten>>()
  const waiting: ForgetRequest[] = []
  let isBusy = false
  const queue = {
    next: () => waiting.splice(0, TOGETHER_MAX),
    again: (asked: readonly ForgetRequest[]) => void waiting.unshift(...asked),
  }
  async function workOff(): Promise<void> {
    if (isBusy) return
    isBusy = true
    while (waiting.length > 0) await forgetTogether(parts, queue)
    isBusy = false
  }
  function fly(subject: string): Promise<Forgotten> {
    const known = flights.get(subject)
    if (known !== undefined) return known
    const flight = new Promise<Forgotten>((done, failed) => {
      waiting.push({ subject, done, failed })
    }).finally(() => flights.delete(subject))
    flights.set(subject, flight)
    // Who asks in the same breath comes along.
    queueMicrotask(workOff)
    return flight
  }
  for (const { subject } of allForgetting(parts.store)) fly(subject).catch(parts.onFailure)
  return {
    forget: async (sent) => {
      const own = oneSpelling(sent)
      try {
        const forgotten = await fly(own)
        if (own !== sent) await parts.forgetUnit(sent)
        return forgotten
      } catch (cause) {
        // What others name stays as it was sent, even if it looks like an id of ours, which has one spelling.
        if (own === sent || !isUnknown(cause)) throw cause
        return await fly(sent)
      }
    },
  }
}

function isUnknown(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'SUBJECT_NOT_FOUND'
}
