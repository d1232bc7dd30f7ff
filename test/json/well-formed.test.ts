import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wellFormedJson } from '../../src/json/well-formed.ts'

/** The plainest way: each half a pair in the JSON by itself. */
function plainly(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (part) =>
    part === '\\\\' ? part : '\ufffd',
  )
}

const units = fc.constantFrom(
  'a',
  '\\',
  'ud83d',
  '\\ud83d',
  '\ud83d',
  '\ude00',
  '😀',
  '"',
  '\n',
  '\ufffd',
)
const text = fc.array(units, { maxLength: 8 }).map((all) => all.join(''))

it('half a surrogate pair becomes U+FFFD, in texts and in names, and nothing else changes', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, (sent) => {
      expect(wellFormedJson(sent)).toBe(plainly(sent))
    }),
    { numRuns: 2000 },
  )
})

it('millions of halves are no call each', () => {
  const replace = String.prototype.replace
  let calls = 0
  String.prototype.replace = function counted(this: string, ...given: unknown[]) {
    calls += 1
    return Reflect.apply(replace, this, given) as string
  } as typeof replace
  try {
    expect(wellFormedJson({ title: '\ud83d'.repeat(1000) })).toBe(
      `{"title":"${'\ufffd'.repeat(1000)}"}`,
    )
  } finally {
    String.prototype.replace = replace
  }
  expect(calls).toBe(0)
})
