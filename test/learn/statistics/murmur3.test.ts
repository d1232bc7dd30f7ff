import { describe, expect, it } from 'vitest'
import { murmur3 } from '../../../src/learn/statistics/murmur3.ts'

describe('murmur3', () => {
  /** Verification values of MurmurHash3_x86_32 that circulate with its ports (UTF-8 input). */
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['\0\0\0\0', 0, 0x2362f9de],
    ['a', 0x9747b28c, 0x7fa09ea6],
    ['aa', 0x9747b28c, 0x5d211726],
    ['aaa', 0x9747b28c, 0x283e0130],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['abc', 0, 0xb3dd93fa],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['ππππππππ', 0x9747b28c, 0xd58063c1],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
  ])('of %j under seed %i is the published value', (text, seed, hash) => {
    expect(murmur3(text, seed)).toBe(hash)
  })

  it('is the same function of long texts, beyond the room that short ones share', () => {
    expect(murmur3('π'.repeat(600), 0x9747b28c)).toBe(0xa227b5b9)
  })
})
