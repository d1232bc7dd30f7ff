import { expect, it } from 'vitest'
import { asksForEvents } from '../../src/http/sent-events.ts'

it.each([
  'text/event-stream',
  'Text/Event-Stream',
  'text/event-stream;q=0.1',
  'text/html, text/event-stream; charset=utf-8 ; q=1, */*;q=0.1',
  'application/json, text/event-stream',
])('Accept: %s asks for events', (accept) => {
  expect(asksForEvents(accept)).toBe(true)
})

it.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'text/event-stream;q=0',
  'text/event-stream; q=0.000, application/json',
  'application/json, text/event-stream;q=0.5',
  'application/x-text/event-stream',
])('Accept: %s does not', (accept) => {
  expect(asksForEvents(accept)).toBe(false)
})
