import { expect, it } from 'vitest'
import { loadDocuments, type Service } from '../../bench/service.ts'

it('names the first document that the service refuses, and why', async () => {
  const id = 'é'.repeat(600)
  const items = [
    { status: 200, id: 'd1' },
    { status: 400, id, error: 'id must be shorter' },
  ]
  const service = {
    sendLines: async () => ({ status: 200, data: { items, succeeded: 1, failed: 1 } }),
  } as unknown as Service
  const documents = ['d1', id].map((each) => ({ id: each, title: '', content: 'x' }))
  await expect(loadDocuments(service, 'some', documents)).rejects.toThrow(
    `The service refused 1 documents; ${'é'.repeat(64)}: id must be shorter`,
  )
})
