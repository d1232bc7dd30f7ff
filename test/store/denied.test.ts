import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isDenied } from '../../src/store/failure.ts'
import { openStore } from '../../src/store/store.ts'
import { compiled } from '../compiled.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const store = compiled('src/store/store.ts')
const quiet = { warn: () => {}, error: () => {} }
const isRoot = process.getuid?.() === 0

const another = isRoot ? { uid: 65_534, gid: 65_534 } : {}

/** Whether somebody else may read these sources, and get at temporary folders: they may lie where root alone is let. */
function isReadable(): boolean {
  const script = `const fs = require('fs')
    fs.readFileSync(process.argv[1])
    fs.accessSync(process.argv[2], fs.constants.X_OK)`
  const args = ['-e', script, store, tmpdir()]
  return spawnSync(process.execPath, args, another).status === 0
}

/** Opens a store in a process of its own, which is not root's: root is let at every file. */
function openAsAnother(dataDir: string): string {
  const script = `
    import { openStore } from ${JSON.stringify(store)}
    const log = { warn() {}, error() {} }
    try { openStore({ dataDir: process.argv[1], bytesMax: 1 << 24, log }) }
    catch (error) { process.stdout.write(error.constructor.name + ': ' + error.message) }`
  const args = ['--input-type=module', '-e', script, dataDir]
  const env = { ...process.env, HOME: dataDir, TMPDIR: dataDir }
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env,
    ...another,
  })
  expect(stderr).toBe('')
  return stdout
}

it.skipIf(!isReadable())(
  'a store whose files belong to somebody else is refused with what to do',
  async () => {
    const dataDir = temporaryFolder()
    await openStore({ dataDir, bytesMax: 1 << 24, log: quiet }).close()
    for (const folder of ['', 'records', 'indices']) chmodSync(join(dataDir, folder), 0o777)
    const mode = isRoot ? 0o644 : 0o444
    for (const file of ['data.mdb', 'lock.mdb']) chmodSync(join(dataDir, 'records', file), mode)
    const said = openAsAnother(dataDir)
    expect(said).toMatch(/^StartError: The record store in .*records can't be opened: .*chown/)
  },
)

it.skipIf(!isReadable()).each(['data.mdb', 'lock.mdb'])(
  'so is one of which %s alone does, also where it may not be read',
  async (denied) => {
    const dataDir = temporaryFolder()
    await openStore({ dataDir, bytesMax: 1 << 24, log: quiet }).close()
    for (const folder of ['', 'records', 'indices']) chmodSync(join(dataDir, folder), 0o777)
    for (const file of ['data.mdb', 'lock.mdb']) chmodSync(join(dataDir, 'records', file), 0o666)
    for (const mode of [0o444, 0o000]) {
      chmodSync(join(dataDir, 'records', denied), mode)
      expect(openAsAnother(dataDir)).toMatch(/^StartError: The record store in .*chown/)
    }
  },
)

it.each([
  ['data.mdb', 'a folder', (path: string) => mkdirSync(path), 'is no file'],
  ['lock.mdb', 'a folder', (path: string) => mkdirSync(path), 'is no file'],
  ['lock.mdb', 'a link to nothing', (path: string) => symlinkSync('/nowhere/x', path), 'chown'],
])('a store whose %s is %s is refused', async (file, _, make, sentence) => {
  const dataDir = temporaryFolder()
  await openStore({ dataDir, bytesMax: 1 << 24, log: quiet }).close()
  const path = join(dataDir, 'records', file)
  rmSync(path)
  make(path)
  expect(() => openStore({ dataDir, bytesMax: 1 << 24, log: quiet })).toThrow(
    expect.objectContaining({ name: 'StartError', message: expect.stringContaining(sentence) }),
  )
})

it('what is no matter of rights is not taken for one', () => {
  for (const [code, is] of [
    [13, true],
    [-30_794, false],
    [12, false],
  ] as const)
    expect(isDenied(Object.assign(new Error('no'), { code }))).toBe(is)
})
