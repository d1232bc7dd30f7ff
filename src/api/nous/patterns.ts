import { route } from '../../http/route.ts'
import { FeedbackPatterns, PatternQuery, SearchPatterns } from '../../schema/pattern.ts'

export const feedbackPatterns = route({
  method: 'GET',
  path: '/nous/learn/feedback/patterns',
  tag: 'learning',
  summary: 'Read the patterns that feedback shows',
  query: PatternQuery,
  reply: FeedbackPatterns,
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return app.learning.patterns.feedback(query)
  },
})

export const searchPatterns = route({
  method: 'GET',
  path: '/nous/learn/search-patterns',
  tag: 'learning',
  summary: 'Read the patterns that searches show',
  query: PatternQuery,
  reply: SearchPatterns,
  handle: async ({ app, query }) => {
    await app.learning.caughtUp()
    return app.learning.patterns.searches(query)
  },
})
