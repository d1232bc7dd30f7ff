import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readGradually } from '../../src/json/gradual.ts'
import { readJson } from '../../src/json/json.ts'
import { refuseUnkeepable } from '../../src/json/unkeepable.ts'
import { countTurns } from '../count-turns.ts'

const DEPTH_MAX = 6

type Outcome = { value: unknown } | { code: string; message: string; details: unknown }

async function outcomeOf(read: () => Promise<{ value: unknown; suspicious: boolean }>) {
  try {
    const { value, suspicious } = await read()
    if (suspicious) refuseUnkeepable(value)
    return { value } as Outcome
  } catch (cause) {
    const { code, message, details } = cause as Extract<Outcome, { code: string }>
    return { code, message, details } as Outcome
  }
}

/** What comes of a text that is read in parts of this size, and of one that is read in one go. */
async function both(text: string | Uint8Array, runBytes: number): Promise<[Outcome, Outcome]> {
  const bytes = Buffer.from(text as string)
  return [
    await outcomeOf(() => readGradually(bytes, DEPTH_MAX, { runBytes })),
    await outcomeOf(async () => readJson(bytes, DEPTH_MAX)),
  ]
}

/** JSON with spaces where there may be some. */
const spaced = (indent: string) => (value: unknown) => JSON.stringify(value, null, indent)

describe('a text that is read gradually', () => {
  const texts = fc
    .tuple(fc.jsonValue({ maxDepth: 7 }), fc.constantFrom('', ' ', '\n\t'))
    .map(([value, indent]) => spaced(indent)([value, { '': value, 7: [value], '"\\é': value }]))

  it('says the same as one that is read in one go, however small its parts', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 60 }), async (text, runBytes) => {
        const [gradual, whole] = await both(text, runBytes)
        expect(gradual).toEqual(whole)
        expect(JSON.stringify(gradual)).toBe(JSON.stringify(whole))
      }),
      { numRuns: 600 },
    )
  })

  it('is refused as one is that is read in one go', async () => {
    const put = fc.constantFrom(
      '',
      ',',
      '}',
      ']',
      '{',
      '[',
      '"',
      '\\',
      '1',
      ':',
      ' ',
      '\\ud800',
      '1e999',
    )
    const near = fc.tuple(texts, fc.nat(), put).map(([text, at, put]) => {
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + put + text.slice(cut + 1)
    })
    await fc.assert(
      fc.asyncProperty(near, fc.integer({ min: 1, max: 40 }), async (text, runBytes) => {
        const [gradual, whole] = await both(text, runBytes)
        const isDeep = (outcome: Outcome) => 'code' in outcome && outcome.code === 'JSON_TOO_DEEP'
        // Of a text that is too deep and no JSON either, each may be told.
        if (isDeep(gradual) || isDeep(whole)) expect('code' in gradual).toBe('code' in whole)
        else expect(gradual).toEqual(whole)
      }),
      { numRuns: 1500 },
    )
  })

  it.each([
    ['[ ]', '[                                 ]'],
    ['{ }', '{                                 }'],
    ['a comma at its end', '[1111,2222,3333,4444,]'],
    ['a comma in the middle', '[1111,2222,,3333,4444]'],
    ['another bracket at its end', '[1111,2222,3333,4444}'],
    ['more behind its end', '{"a":1111,"b":2222} 1'],
    ['a name twice', '{"a":1111,"b":"2222","a":3333}'],
    ['the name __proto__', '{"a":1111,"__proto__":{"b":"2222"},"c":3333}'],
    ['a name with an escape', '{"a":1111,"b\\u0041\\"":["2222","3333"],"c":1}'],
    ['a long name', `{"a":1,"${'b'.repeat(50)}":["2222","3333"],"c":1}`],
    ['a number out of range', '[1111,{"a":[2222,1e999,3333]}]'],
    ['a number that is not kept', '[1111,{"a":[12345678901234567890,3333]}]'],
    ['half a pair', '["1111",{"a":["2222","\\ud83d","3333"]}]'],
    ['half a pair in a name', '["1111",{"\\ud83d":["2222","3333"]}]'],
    ['nothing', ''],
    ['a mark before it', '\ufeff[1111,2222,3333,4444]'],
    [
      'no UTF-8',
      Buffer.concat([Buffer.from('["aaaaaaaaaaaaaaaa'), Buffer.of(0xff), Buffer.from('"]')]),
    ],
    ['as many levels as there may be', '[[[[[[111111111,222222222]]]]]]'],
    [
      'as many levels as there may be, and a long text',
      '{"a":[[[[{"b":"11111111111111111111"}]]]]}',
    ],
    ['a level more', '[[[[[[[111111111,222222222]]]]]]]'],
    ['a hundred thousand levels that never end', '['.repeat(100_000)],
  ])('with %s is what it is in one go', async (_, text) => {
    for (const runBytes of [1, 2, 3, 8, 16]) {
      const [gradual, whole] = await both(text, runBytes)
      expect(gradual, `${runBytes}`).toEqual(whole)
    }
  })

  it('holds as many objects and lists as any', async () => {
    const some = (count: number) => `{"a":[${Array(count).fill('{}').join(',')}]}`
    const [most] = await both(some(999_998), 64 << 10)
    expect(most).toHaveProperty('value')
    const [more, whole] = await both(some(1_000_001), 64 << 10)
    expect(more).toEqual(whole)
    expect(more).toHaveProperty('code', 'BODY_TOO_LARGE')
  })

  it('has as many names in an object as any', async () => {
    const names = (count: number) =>
      `{"a":{${Array.from({ length: count }, (_, n) => `"${n}":{"b":{}}`).join(',')}}}`
    for (const runBytes of [1000, 64 << 10]) {
      const [most] = await both(names(20_000), runBytes)
      expect(most).toHaveProperty('value')
      const [more, whole] = await both(names(20_001), runBytes)
      expect(more).toEqual(whole)
      expect(more).toHaveProperty('code', 'BODY_TOO_LARGE')
    }
    const list = `[${Array(30_000).fill('{"a":1}').join(',')}]`
    expect((await both(list, 1000))[0]).toHaveProperty('value')
  })

  it('is looked through for its mistake in parts, and others have their turns meanwhile', async () => {
    const text = Buffer.from(`[${'{"id":"a","tags":[1,2]},'.repeat(400_000)}}`)
    const { turns, value } = await countTurns(() => outcomeOf(() => readGradually(text, DEPTH_MAX)))
    expect(value).toHaveProperty(
      'message',
      `The body is not valid JSON at byte ${text.length - 1}.`,
    )
    expect(turns).toBeGreaterThan(5)
  })

  it('may be one long string, or have one as a value or a name, however it is cut', async () => {
    const parts = ['a', '\\\\', '\\"', '\\n', '\\u00e9', '\\ud83d', '\\ude00', 'é', '中', '😀']
    const wrong = fc.constantFrom('', '', '"', '\\', '\\u0', '\\x', '\n')
    const some = fc.array(fc.constantFrom(...parts), { minLength: 10, maxLength: 30 })
    const sure = fc.tuple(some, wrong, some).map((all) => all.flat().join(''))
    const around = fc.constantFrom(
      ...([
        ['', ''],
        ['[1,', ',2]'],
        ['{"a":', ',"b":1}'],
        ['{"a":1,', ':1}'],
        ['[', ''],
      ] as const),
    )
    const runs = fc.integer({ min: 1, max: 40 })
    let read = 0
    await fc.assert(
      fc.asyncProperty(sure, around, runs, async (inside, [before, behind], runBytes) => {
        const [gradual, whole] = await both(`${before}"${inside}"${behind}`, runBytes)
        expect(gradual).toEqual(whole)
        if ('value' in whole) read += 1
      }),
      { numRuns: 3000 },
    )
    expect(read).toBeGreaterThan(100)
  })

  it('is never parsed in one go, and neither is a long string in it', async () => {
    const long = `"${'text é \\n '.repeat(200_000)}"`
    const parsed = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parsed.mockRestore())
    for (const text of [long, `{"content":${long}}`, `{${long}:1}`]) {
      await readGradually(Buffer.from(text), DEPTH_MAX)
      expect(Math.max(...parsed.mock.calls.map(([part]) => part.length))).toBeLessThan(100_000)
    }
  })

  it('is never parsed in one go', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const list = Array.from({ length: 50_000 }, (_, n) => ({ n, text: `text ${n}` }))
    const text = JSON.stringify({ list, fields: { list } })
    await readGradually(Buffer.from(text), DEPTH_MAX)
    const longest = Math.max(...parse.mock.calls.map(([part]) => part.length))
    expect(longest).toBeLessThan(text.length / 20)
  })
})
