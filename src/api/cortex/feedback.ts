import { longAnswer, route } from '../../http/route.ts'
import { Feedback, FeedbackPage, FeedbackQuery, FeedbackReceipt } from '../../schema/feedback.ts'

export const sendFeedback = route({
  method: 'POST',
  path: '/cortex/feedback',
  tag: 'learning',
  summary: 'Say how good results were, and what people did with them',
  body: Feedback,
  missing: {
    feedback:
      'is required, a list with {"queryId", "rating", "metadata": {"userAction", "resultId"}} for each action',
  },
  bodyLimit: 'feedbackBytesMax',
  example: {
    sessionId: '01900000-0000-7000-8000-000000000001',
    feedback: [
      {
        queryId: '01900000-0000-7000-8000-000000000002',
        rating: 1,
        metadata: {
          userAction: 'click',
          resultId: 'doc-1',
          customMetadata: { position: 1, dwellTime: 42_000 },
        },
      },
    ],
  },
  reply: FeedbackReceipt,
  handle: ({ app, body, noteDone }) => app.learning.feedback.submit(body, noteDone),
})

export const readFeedback = route({
  method: 'GET',
  path: '/cortex/feedback',
  tag: 'learning',
  summary: 'Read what was told, newest first, with a summary',
  query: FeedbackQuery,
  reply: FeedbackPage,
  handle: async ({ app, query }) => longAnswer(await app.learning.feedback.read(query)),
})
