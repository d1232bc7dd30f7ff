import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { compiled } from '../compiled.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const store = compiled('src/store/store.ts')

/** Opens a store of so many bytes in a process that may have so many kilobytes of address space. */
function openWithin(kilobytes: number, bytesMax: number) {
  const script = `
    import { openStore } from ${JSON.stringify(store)}
    const log = { warn() {}, error() {} }
    try { openStore({ dataDir: process.argv[1], bytesMax: ${bytesMax}, log }); process.stdout.write('open') }
    catch (error) { process.stdout.write(error.constructor.name + (error.lasts ? ' that lasts: ' : ': ') + error.message) }
    process.exit()`
  return runWith(`-v ${kilobytes}`, script)
}

/** What a script writes in a process with a limit. */
function runWith(limit: string, script: string) {
  const node = ['--input-type=module', '-e', script]
  const limited = `ulimit ${limit} && exec "$0" "$@"`
  const args = ['-c', limited, process.execPath, ...node, temporaryFolder()]
  return spawnSync('sh', args, { encoding: 'utf8' }).stdout
}

it.skipIf(process.platform !== 'linux')(
  'a store that wants more address space than there may be is refused with both figures, for good',
  () => {
    expect(openWithin(40_000_000, 64 * 2 ** 30)).toMatch(
      /^StartError that lasts: .* 68719476736 bytes .*STORE_BYTES_MAX.* \d{9,11} more \(ulimit -v\)/,
    )
    expect(openWithin(40_000_000, 2 ** 30)).toBe('open')
  },
)

it.skipIf(process.platform !== 'linux')(
  'a store that is as large as a file may be takes no more writes until there is room, and goes on',
  () => {
    const script = `
      import { openStore } from ${JSON.stringify(store)}
      const log = { warn: (fields) => process.stdout.write(JSON.stringify(fields)), error() {} }
      const store = openStore({ dataDir: process.argv[1], bytesMax: 2 ** 30, log })
      const { records } = store.tables
      const record = Buffer.alloc(100_000, 7)
      let n = 0
      const refused = await (async () => {
        for (; n < 1000; n++) await store.write(() => records.put([1, n], record))
      })().catch((error) => error.code)
      await store.release(() => records.removeAll(Array.from({ length: 100 }, (_, at) => [1, at])))
      await store.put('records', [2, 0], record)
      const length = records.get([1, n - 1]).length
      process.stdout.write(JSON.stringify([refused, n > 200, length, store.failure() === undefined]))
      process.exit()`
    const said = runWith(`-f ${(32 << 20) / 512}`, script)
    expect(said).toContain('"fileBytesMax":33554432}["DISK_FULL",true,100000,true]')
  },
)
