import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { temporaryFolder } from './open.ts'

const store = new URL('../../src/store/store.ts', import.meta.url)

/** Opens a store of so many bytes in a process that may have so many kilobytes of address space. */
function openWithin(kilobytes: number, bytesMax: number) {
  const script = `
    import { openStore } from '${store.href}'
    const log = { warn() {}, error() {} }
    try { openStore({ dataDir: process.argv[1], bytesMax: ${bytesMax}, log }); process.stdout.write('open') }
    catch (error) { process.stdout.write(error.constructor.name + ': ' + error.message) }
    process.exit()`
  const node = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script]
  const limited = `ulimit -v ${kilobytes} && exec "$0" "$@"`
  const args = ['-c', limited, process.execPath, ...node, temporaryFolder()]
  return spawnSync('sh', args, { encoding: 'utf8' }).stdout
}

it.skipIf(process.platform !== 'linux')(
  'a store that wants more address space than there may be is refused with both figures',
  () => {
    expect(openWithin(40_000_000, 64 * 2 ** 30)).toMatch(
      /^StartError: .* 68719476736 bytes .*STORE_BYTES_MAX.* \d{9,11} more \(ulimit -v\)/,
    )
    expect(openWithin(40_000_000, 2 ** 30)).toBe('open')
  },
)
