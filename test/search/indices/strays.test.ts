import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeStrays } from '../../../src/search/indices/strays.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('folders of indices that are none any more go; what is not called like one stays', async () => {
  const root = temporaryFolder()
  for (const name of ['3', '12', 'Xk3qQ9aVTbeP', '07', '4 old']) mkdirSync(join(root, name))
  for (const name of ['notes.txt', '5']) writeFileSync(join(root, name), 'keep')
  await removeStrays(root, new Set(['3']))
  expect(readdirSync(root).sort()).toEqual(['07', '3', '4 old', '5', 'Xk3qQ9aVTbeP', 'notes.txt'])
})
