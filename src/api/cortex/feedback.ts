import { route } from '../../http/route.ts'
import { Feedback, FeedbackQuery } from '../../schema/feedback.ts'
import { notYet } from '../not-yet.ts'

export const sendFeedback = route({
  ...notYet,
  method: 'POST',
  path: '/cortex/feedback',
  summary: 'Say how good results were',
  body: Feedback,
  bodyLimit: 'feedbackBytesMax',
})

export const readFeedback = route({
  ...notYet,
  method: 'GET',
  path: '/cortex/feedback',
  summary: 'Read feedback',
  query: FeedbackQuery,
})
