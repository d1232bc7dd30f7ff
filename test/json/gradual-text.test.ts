import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isHeavy, jsonGradually, jsonText } from '../../src/json/gradual-text.ts'
import { wellFormedJson } from '../../src/json/well-formed.ts'

const PARTS = [
  1,
  0.5,
  null,
  'text',
  'é'.repeat(300),
  '\ud83d',
  '😀'.repeat(40_000),
  `a${'😀'.repeat(40_000)}\ud83d`,
  '"\\\n'.repeat(30_000),
  [],
  {},
  { '': 1, 7: [null], 3: { a: null } },
  Array(5000).fill(1),
  Array.from({ length: 3000 }, (_, n) => ({ n, text: `text ${n}` })),
  Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${n % 2 ? '' : 'a'}${n}`, n])),
]

describe('JSON that is made gradually', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: fc.constantFrom(...PARTS) },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.string({ maxLength: 2 }), tie('value'), { maxKeys: 4 }),
      },
    ),
  })).value

  it('is the same as any, also without members that are left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), value, { maxKeys: 5 }), async (object) => {
        const plain = Object.fromEntries(Object.entries(object))
        const kept = Object.entries(plain).filter(([, held]) => held !== null)
        expect(await jsonGradually(plain)).toBe(wellFormedJson(plain))
        const given = await jsonGradually(plain, (held) => held === null)
        expect(given).toBe(wellFormedJson(Object.fromEntries(kept)))
      }),
      { numRuns: 150 },
    )
  })

  it('is never made in one go', async () => {
    const object = { list: PARTS, more: { PARTS }, text: 'x'.repeat(2e6) }
    const whole = JSON.stringify(object).length
    const stringify = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => stringify.mockRestore())
    await jsonGradually(object)
    const longest = Math.max(...stringify.mock.results.map(({ value }) => value?.length ?? 0))
    expect(longest).toBeLessThan(whole / 10)
  })

  it('is not made in one go where what is large stands behind what is small, or in a list', async () => {
    const list = [1, { PARTS }, 'x', Array(90_000).fill(1)]
    const whole = wellFormedJson(list)
    const stringify = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => stringify.mockRestore())
    expect(await jsonText(list)).toBe(whole)
    const longest = Math.max(...stringify.mock.results.map(({ value }) => value?.length ?? 0))
    expect(longest).toBeLessThan(whole.length / 2)
  })

  it('leaves out what is undefined, as any does', async () => {
    const object = { a: undefined, b: undefined, long: Array(9000).fill(1), c: undefined, d: 1 }
    expect(await jsonText(object)).toBe(JSON.stringify(object))
  })

  it('is for what is large', () => {
    expect(isHeavy({ title: 'x', tags: Array(1000).fill('tag') })).toBe(false)
    expect(isHeavy({ title: 'x'.repeat(1e6) })).toBe(true)
    expect(isHeavy({ title: 'x', own: { deep: Array(10_000).fill(0) } })).toBe(true)
    expect(isHeavy(Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [n, 0])))).toBe(true)
  })
})
