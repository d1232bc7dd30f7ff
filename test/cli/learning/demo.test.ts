import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from '../../../src/cli/program.ts'
import { openRecorder } from '../recorder.ts'

test('the demo of learning does what each of its steps says', { timeout: 240_000 }, async () => {
  const terminal = openRecorder()
  const code = await runCommand(terminal, ['demo', '--people', '200'])
  const text = terminal.out.join('\n')
  expect(text.match(/✗.*/g) ?? []).toEqual([])
  expect(text, terminal.notes.at(-1)).toContain('Every step did what it says.')
  expect(text.match(/✓/g)).toHaveLength(14)
  for (const step of [
    '1. A click moves',
    '2. Ten thousand',
    '3. Bad models',
    '4. A harmful',
    '5. An A/B',
  ])
    expect(text).toContain(step)
  expect(text).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+\/api\/cortex\/feedback /)
  expect(text).toContain('10000 accepted, 9999 of them duplicates.')
  expect(text).toContain('409 MODEL_NOT_SERVABLE')
  expect(text).toMatch(/always-valid 95 % interval \d/)
  const [, folder] = /server on (\S*attune-demo-\S+) …/.exec(text) ?? []
  expect(folder).toBeDefined()
  expect(existsSync(String(folder))).toBe(false)
  expect(code).toBe(0)
})
