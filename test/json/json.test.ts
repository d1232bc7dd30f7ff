import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstMistake } from '../../src/first-mistake.ts'
import { readJson } from '../../src/json/json.ts'
import { refuseUnkeepable } from '../../src/json/unkeepable.ts'

const bytes = (text: string) => Buffer.from(text)
/** What a body goes through before it is checked. */
function parseJson(input: Uint8Array, depth: number): unknown {
  const { value, suspicious } = readJson(input, depth)
  if (suspicious) refuseUnkeepable(value)
  return value
}
const codeOf = (input: Uint8Array, depth = 32) => {
  try {
    parseJson(input, depth)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('readJson', () => {
  it('reads whatever JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value)
        fc.pre(!/"__proto__"/.test(text))
        expect(parseJson(bytes(text), 32)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('agrees with JSON.parse on what is JSON, for texts that are nearly so', () => {
    const near = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', '1', 'x'))
      .map(([text, at, put]) => {
        const cut = at % (text.length + 1)
        return text.slice(0, cut) + put + text.slice(cut + 1)
      })
    fc.assert(
      fc.property(near, (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        expect(codeOf(bytes(text), 64) === 'MALFORMED_JSON').toBe(!valid)
        if (!valid) expect(firstMistake(bytes(text))).toBeLessThanOrEqual(bytes(text).length)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses an object of very many names, and takes as many in several', () => {
    const some = (count: number) =>
      `{${Array.from({ length: count }, (_, n) => `"${n}:":{"a":1}`).join(',')}}`
    expect(codeOf(bytes(some(20_000)))).toBeUndefined()
    expect(codeOf(bytes(some(20_001)))).toBe('BODY_TOO_LARGE')
    expect(codeOf(bytes(`[${some(15_000)},${some(15_000)}]`))).toBeUndefined()
    const any = { namesMax: Number.POSITIVE_INFINITY }
    expect(Object.keys(readJson(bytes(some(20_001)), 32, any).value as object)).toHaveLength(20_001)
  })

  it.each(['01234567890123456789', '[-01234567890123456789]', '{"a":00012345678901234567890}'])(
    'takes %s for no JSON, as long as it is',
    (text) => {
      expect(() => JSON.parse(text)).toThrow(SyntaxError)
      expect(codeOf(bytes(text))).toBe('MALFORMED_JSON')
    },
  )

  it.each([
    ['', 0],
    ['{', 1],
    ['{"a":1,}', 7],
    ['[1,2', 4],
    ['{"a" 1}', 5],
    ['nul', 0],
    ['[01]', 2],
    ['"a\nb"', 2],
    ['{} {}', 3],
    ['{"é":}', 6],
    ['"a', 2],
    ['"\\q"', 1],
    ['"\\u12"', 1],
    ['"\\u12', 1],
    ['[1,]', 3],
    ['[1}', 2],
    ['{1:2}', 1],
    ['{,}', 1],
    ['1.', 1],
    ['-', 0],
    ['1e+', 1],
    ['[1]]', 3],
    [' \t[ tru', 4],
  ])('finds the first mistake of %j at byte %i', (text, position) => {
    expect(firstMistake(bytes(text))).toBe(position)
  })

  it('finds the mistake after a text of many megabytes', () => {
    const long = Buffer.concat([bytes('["'), Buffer.alloc(20 << 20, 'x'), bytes('"]]')])
    expect(firstMistake(long)).toBe(long.length - 1)
  })

  it('finds the mistake of any depth', () => {
    const brackets = bytes('[{"a":'.repeat(100_000))
    expect(firstMistake(brackets)).toBe(brackets.length)
  })

  it('counts the depth of brackets outside of texts', () => {
    expect(codeOf(bytes('[[[]]]'), 3)).toBeUndefined()
    expect(codeOf(bytes('[[[[]]]]'), 3)).toBe('JSON_TOO_DEEP')
    expect(codeOf(bytes('["[[[[[[[","\\"[[[["]'), 3)).toBeUndefined()
    expect(codeOf(Buffer.alloc(1 << 20, '['), 32)).toBe('JSON_TOO_DEEP')
  })

  it('counts objects and lists before any of them is made', () => {
    const many = (count: number) =>
      bytes(
        `[${Array(count - 1)
          .fill('{}')
          .join()}]`,
      )
    expect(codeOf(many(1_000_000))).toBeUndefined()
    expect(codeOf(many(1_000_001))).toBe('BODY_TOO_LARGE')
    expect(codeOf(bytes(`[${Array(1_000_001).fill('"[{"').join()}]`))).toBeUndefined()
  })

  it('takes a byte order mark, and refuses bytes that are not UTF-8', () => {
    expect(parseJson(bytes('\ufeff{"a":1}'), 4)).toEqual({ a: 1 })
    expect(codeOf(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toBe('MALFORMED_JSON')
    // The first two bytes of a mark, with another behind them.
    expect(codeOf(Buffer.from([0xef, 0xbb, 0x20, 0x30]))).toBe('MALFORMED_JSON')
  })

  it('refuses the key that sets a prototype, at any depth and in any spelling', () => {
    for (const text of ['{"__proto__":{}}', '[{"a":{"__proto__":1}}]', '{"__pr\\u006fto__":1}'])
      expect(codeOf(bytes(text)), text).toBe('VALIDATION_FAILED')
    expect(codeOf(bytes('{"a":"__proto__"}'))).toBeUndefined()
  })

  it('says where such a key stands and why it is refused', () => {
    const path = 'events[1].metadata.__proto__'
    const text = '{"events":[{"a":1},{"metadata":{"__proto__":{"b":1}}}]}'
    expect(() => parseJson(bytes(text), 32)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^events\[1\]\.metadata\.__proto__ is refused: .*objects/),
        details: [{ path, message: expect.stringContaining('choose another') }],
      }),
    )
    const long = `{"${'k'.repeat(100_000)}":{"__proto__":1}}`
    expect(() => parseJson(bytes(long), 32)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path: '__proto__' })] }),
    )
  })
})

it('refuses a number of very many digits before it is read', () => {
  const read = (text: string) => readJson(Buffer.from(text), 32).value
  expect(read(`0.${'1'.repeat(65_536)}`)).toBe(0.1111111111111111)
  for (const text of ['1'.repeat(65_537), `[0.${'1'.repeat(1e6)}]`, `1e${'0'.repeat(1e6)}1`])
    expect(() => read(text)).toThrow('a number of more than 65536 digits')
  expect(read(JSON.stringify('1'.repeat(1e6)))).toHaveLength(1e6)
})
