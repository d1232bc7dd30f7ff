import { route } from '../../http/route.ts'
import { IdPath } from '../../schema/common.ts'
import { SubjectForgotten } from '../../schema/subject.ts'

export const forgetSubject = route({
  method: 'DELETE',
  path: '/nous/learn/subjects/{id}',
  tag: 'learning',
  summary: 'Forget what a session or a user did, and what was learned from it',
  params: IdPath,
  reply: SubjectForgotten,
  errors: ['SUBJECT_NOT_FOUND'],
  handle: ({ app, params }) => app.learning.subjects.forget(params.id),
})
