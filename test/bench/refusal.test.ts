import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

describe('a bench or a torture that is asked for what is not there', () => {
  it.each([
    ['bench/run', 'nonsense', 'There is no workload "nonsense". There are: analytics,'],
    ['bench/run', '--nonsense', "Unknown option '--nonsense'"],
    [
      'bench/quality',
      '/tmp/nope',
      '/tmp/nope/corpus.jsonl is missing: name the folder of a collection',
    ],
    [
      'bench/loop',
      '/tmp/nope',
      '/tmp/nope/corpus.jsonl is missing: name the folder of a collection',
    ],
    ['bench/loop', '--sessions x', '--sessions must be a whole number of at least 1, not "x".'],
    ['bench/loop', '--noise 2', '--noise must be a number from 0 to 1, not "2".'],
    ['bench/loop', '--mode fuzzy', '--mode must be one of text, vector, hybrid, not "fuzzy".'],
    ['bench/quality', '--size 0', '--size must be a whole number of at least 1, not "0".'],
    ['bench/quality', '--request x', '--request must be JSON like {"fusion": "rrf"}, not x.'],
    [
      'bench/ltr',
      '/tmp/nope',
      '/tmp/nope/rank.train.gz is missing: name a folder with rank.train.gz,',
    ],
    ['bench/run', 'sessions --measure x', '--measure must be a number of seconds above 0.'],
    ['test/torture/main', 'nonsense', 'There is no test "nonsense". There are: kill, damage,'],
    ['test/torture/main', 'kill --times x', '--times must be a whole number.'],
    ['test/torture/main', '--nonsense', "Unknown option '--nonsense'"],
  ])('%s says in one sentence what is wrong: %s', (file, asked, told) => {
    const args = ['--import', 'tsx', `${file}.ts`, ...asked.split(' ')]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(told)])
    expect(status).toBe(1)
  })
})
