import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

describe('a bench that is asked for what is not there', () => {
  it.each([
    ['run', 'nonsense', 'There is no workload "nonsense". There are: analytics,'],
    ['run', '--nonsense', "Unknown option '--nonsense'"],
    ['quality', '/tmp/nope', '/tmp/nope/corpus.jsonl is missing: name the folder of a collection'],
    ['loop', '/tmp/nope', '/tmp/nope/corpus.jsonl is missing: name the folder of a collection'],
    ['ltr', '/tmp/nope', '/tmp/nope/rank.train.gz is missing: name a folder with rank.train.gz,'],
  ])(
    '%s says in one sentence what is wrong: %s',
    (bench, argument, told) => {
      const args = ['--import', 'tsx', join('bench', `${bench}.ts`), argument]
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
      expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(told)])
      expect(status).toBe(1)
    },
    30_000,
  )
})
