import { describe, expect, test } from 'vitest'
import { openClient } from '../../../src/cli/client.ts'
import { curl, isSameList, openStage, type Shown } from '../../../src/cli/learning/stage.ts'
import { openRecorder } from '../recorder.ts'

describe('a step', () => {
  test('says what held and what did not, and counts the failures', () => {
    const terminal = openRecorder()
    const stage = openStage(terminal, openClient('http://127.0.0.1:9/api'), 10)
    stage.check(true, 'the sky is above')
    expect(stage.failures()).toBe(0)
    stage.check(false, 'water runs uphill')
    expect(stage.failures()).toBe(1)
    expect(terminal.out).toEqual(['  ✓ the sky is above', '  ✗ FAILED: water runs uphill'])
  })

  test('stops waiting when the time is over', async () => {
    const stage = openStage(openRecorder(), openClient('http://127.0.0.1:9/api'), 10)
    expect(await stage.until(async () => false, 20)).toBe(false)
    expect(await stage.until(async () => true, 0)).toBe(true)
  })
})

test('a request is printed as a command line that a shell reads as it was meant', () => {
  expect(curl('http://h/api/a')).toBe("curl -s 'http://h/api/a'")
  expect(curl('http://h/api/a', { q: "it's" })).toBe(
    `curl -s http://h/api/a -H 'content-type: application/json' -d '{"q":"it'\\''s"}'`,
  )
})

test('lists are the same only with the same documents, order and scores', () => {
  const hit = (id: string, score: number): Shown => ({ id, score, title: id, explain: {} })
  const list = [hit('a', 2), hit('b', 1)]
  expect(isSameList(list, [hit('a', 2), hit('b', 1)])).toBe(true)
  expect(isSameList(list, [hit('b', 1), hit('a', 2)])).toBe(false)
  expect(isSameList(list, [hit('a', 2), hit('b', 0.9)])).toBe(false)
  expect(isSameList(list, [hit('a', 2)])).toBe(false)
})
