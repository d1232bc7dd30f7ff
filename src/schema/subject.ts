import { Type } from 'typebox'
import { Count } from './common.ts'

/** Answer to forgetting somebody. */
export const SubjectForgotten = Type.Object({
  subject: Type.String(),
  removed: Type.Object({
    sessions: Count('sessions, which are unknown from now on'),
    impressions: Count('searches, with what they showed'),
    feedback: Count('entries of feedback'),
    events: Count('analytics events'),
  }),
  rebuilt: Type.Boolean({
    description:
      'what was learned is learned anew from what is left; false: the log is too short for that, and what they taught was taken out',
  }),
})
