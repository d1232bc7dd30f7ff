import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dryRun } from '../../src/cli/dry-run.ts'
import { findFiles } from '../../src/cli/read/files.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openRecorder } from './recorder.ts'

test('it prints the first documents and what can not be read, though no server answers', async () => {
  const folder = temporaryFolder()
  const lines = ['{"id":"1","title":"a"}', '{"id":"2"', '{"id":"3","title":"c"}', '{"id":"4"}']
  const more = ['{"id":"5","title":"e"}']
  writeFileSync(join(folder, 'a.ndjson'), [...lines, ...more].join('\n'))
  const terminal = openRecorder()
  const report = await dryRun(terminal, await findFiles(['a.ndjson'], folder), {
    url: 'http://127.0.0.1:1',
    mapping: { rename: new Map() },
    keepStrings: false,
    folder,
  })
  expect(report).toMatchObject({ files: 1, accepted: 4, refused: 1 })
  const shown = terminal.out.slice(0, -1).map((line) => JSON.parse(line).id)
  expect(shown).toEqual(['1', '3', '4'])
  expect(terminal.out.at(-1)).toMatch(
    /^Would load 4 documents from 1 file; 1 place can't be read\./,
  )
  expect(terminal.notes[0]).toMatch(/^a\.ndjson:2: /)
  expect(terminal.notes).toContainEqual(expect.stringMatching(/^a\.ndjson: 4 documents, \d+ B$/))
})
