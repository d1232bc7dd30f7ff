import { expect, it } from 'vitest'
import { momentWarnings } from '../../../src/doubtful-moment.ts'
import { readHappened, readMoment } from '../../../src/learn/wire/moment.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 1, 28, 12)

it.each([
  ['2026-02-28T12:00Z', NOON],
  ['2026-02-28 12:00', NOON],
  ['2026-02-28T12:00:00.000', NOON],
  ['2026-02-28T14:00+02:00', NOON],
  // As an address has it that did not escape the plus.
  ['2026-02-28T14:00 02:00', NOON],
  ['2026-02-28T14:00+02', NOON],
  ['2026-02-28t12:00:00.0000000000z', NOON],
  [String(NOON), NOON],
  ['-1', -1],
  ['-999', -999],
  ['2026-02-28', NOON - DAY_MS / 2],
])('%s is a moment', (text, ms) => {
  expect(readMoment(text, 'startDate')).toBe(ms)
})

it('seconds, a year and a day as a number are told where milliseconds are read', () => {
  for (const sent of [NOON / 1000, String(NOON / 1000), 2026, 20_260_228])
    expect(momentWarnings(sent, 'at')).toEqual([
      'at: a number is epoch milliseconds, and this one is a moment of 1970; send the date as text, or seconds times 1000.',
    ])
  for (const sent of [undefined, 0, 999, 1e10, 1e12, NOON, String(NOON), '2026-02-28'])
    expect(momentWarnings(sent, 'at')).toEqual([])
})

it('a day that ends something ends with its last millisecond, a time with itself', () => {
  expect(readMoment('2026-02-28', 'endDate', 'ends')).toBe(NOON + DAY_MS / 2 - 1)
  expect(readMoment('2026-02-28T12:00Z', 'endDate', 'ends')).toBe(NOON)
})

it.each(['', 'noon', '2026', '2026-02-30', '2026-13-01', '2026-02-28T25:00', '2026-02-28T'])(
  '%j is none',
  (text) => {
    expect(() => readMoment(text, 'startDate')).toThrow(
      'startDate must be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or epoch milliseconds.',
    )
  },
)

it('what happened lies five minutes ahead at most, and where dates can say it', () => {
  const ahead = 5 * 60_000
  expect(readHappened(NOON + ahead, NOON, 'timestamp')).toBe(NOON + ahead)
  expect(readHappened('2026-02-28T12:00:00Z', NOON, 'timestamp')).toBe(NOON)
  expect(() => readHappened(NOON + ahead + 1, NOON, 'timestamp')).toThrow('timestamp must not lie')
  const first = Date.parse('0000-01-01T00:00:00.000Z')
  expect(readHappened(first, NOON, 'timestamp')).toBe(first)
  for (const none of [first - 1, -8.65e15, Number.NaN])
    expect(() => readHappened(none, NOON, 'timestamp')).toThrow(
      'timestamp must be a moment of the years 0 to 9999.',
    )
})

it('what happened is read as all moments are: without a zone in UTC, and a day alone as its beginning', () => {
  expect(readHappened('2026-02-28T12:00:00', NOON, 'timestamp')).toBe(NOON)
  expect(readHappened('2026-02-28', NOON, 'timestamp')).toBe(NOON - DAY_MS / 2)
  const none = 'timestamp must be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or epoch'
  expect(() => readHappened('noon', NOON, 'timestamp')).toThrow(none)
  // A clock of another zone tells a time that is still to come.
  const ahead = 'timestamp must not lie more than 5 minutes in the future'
  const hint = ': without a zone, such as +02:00, it is a time in UTC.'
  expect(() => readHappened('2026-02-28T14:00', NOON, 'timestamp')).toThrow(ahead + hint)
  expect(() => readHappened('2026-02-28T14:00Z', NOON, 'timestamp')).toThrow(`${ahead}.`)
})
