import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '..')
let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(join(folder, 'native'))
  cpSync(join(root, 'native', 'build.js'), join(folder, 'native', 'build.js'))
  file('package.json', '{"type":"module"}')
  file('native/Cargo.toml', '[package]\nname = "attune_native"\nrust-version = "1.90"\n')
  file('native/Cargo.lock', '')
  file('native/src/lib.rs', '// first')
})

function file(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Puts a cargo on the path that "builds" the library out of lib.rs and notes each build. */
function installCargo(version = '1.95.0', build = 'true'): void {
  file(
    'bin/cargo',
    `#!/bin/sh
PATH=/usr/bin:/bin
if [ "$1" = --version ]; then echo "cargo ${version} (abc 2026-01-01)"; exit 0; fi
echo "$@" >> "${folder}/builds"
sleep 0.3
${build} || exit 101
mkdir -p "$CARGO_TARGET_DIR/release"
for name in libattune_native.so libattune_native.dylib; do cp src/lib.rs "$CARGO_TARGET_DIR/release/$name"; done
`,
  )
  chmodSync(join(folder, 'bin', 'cargo'), 0o755)
}

function build(
  args: string[] = [],
  env: Record<string, string> = {},
  onOutput = () => {},
): Promise<{ code: number | null; output: string }> {
  return runNode([join(folder, 'native', 'build.js'), ...args], env, onOutput)
}

function runNode(
  args: string[],
  env: Record<string, string> = {},
  onOutput = () => {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    env: { PATH: join(folder, 'bin'), HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const hear = (text: Buffer) => {
    output += text
    onOutput()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return new Promise((done) => child.on('close', (code) => done({ code, output })))
}

describe.skipIf(process.platform === 'win32')('building the Rust core', () => {
  test('builds once, says nothing when all is fresh, and builds again when a source changed', async () => {
    installCargo()
    expect((await build()).code).toBe(0)
    expect(read('native/attune.node')).toBe('// first')
    expect(await build()).toEqual({ code: 0, output: '' })
    expect(read('builds')).toBe('build --release --locked\n')
    file('native/src/deep/more.rs', '// another')
    file('native/src/lib.rs', '// second')
    expect((await build()).output).toContain('building the Rust core')
    expect(read('native/attune.node')).toBe('// second')
  })

  test('builds again when the addon was deleted', async () => {
    installCargo()
    await build()
    rmSync(join(folder, 'native', 'attune.node'))
    await build()
    expect(existsSync(join(folder, 'native', 'attune.node'))).toBe(true)
  })

  test('two builds at once take turns and build once', async () => {
    installCargo()
    const [one, two] = await Promise.all([build(), build()])
    expect([one.code, two.code]).toEqual([0, 0])
    expect(read('builds')).toBe('build --release --locked\n')
    expect(readdirSync(folder).filter((name) => name.startsWith('.attune'))).toEqual([])
  })

  test('a lock left behind by a build that was killed is passed over', async () => {
    installCargo()
    file('.attune-build-native/pid', '999999999')
    expect((await build()).code).toBe(0)
  })

  test('who waits for another build is told for which, and what to do where that is none', async () => {
    installCargo()
    file('.attune-build-native/pid', String(process.pid))
    const remove = () =>
      rmSync(join(folder, '.attune-build-native'), { recursive: true, force: true })
    // What it says first is that it waits.
    const { code, output } = await build([], {}, remove)
    expect(code).toBe(0)
    expect(output).toContain(`waiting for another build, of process ${process.pid} …`)
    expect(output).toContain('remove .attune-build-native')
  })

  test('without cargo one sentence says what to install', async () => {
    const { code, output } = await build()
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toContain('install Rust 1.90 or newer with rustup')
  })

  test('a cargo that is too old is said as such', async () => {
    installCargo('1.75.0')
    const { code, output } = await build()
    expect(code).toBe(1)
    expect(output).toContain('cargo 1.75.0')
    expect(output).toContain('Rust 1.90 or newer')
    expect(existsSync(join(folder, 'builds'))).toBe(false)
  })

  test('a cargo that does not run, as one of a rustup without a toolchain, is told with what it says', async () => {
    file('bin/cargo', '#!/bin/sh\necho "no default toolchain" >&2\nexit 1\n')
    chmodSync(join(folder, 'bin', 'cargo'), 0o755)
    const { code, output } = await build()
    expect(code).toBe(1)
    expect(output).toMatch(/cargo does not run: install Rust 1\.90 .* no default toolchain$/m)
  })

  test('a Node that is too old or has no binaries is told with those that do, before anything is built', async () => {
    installCargo()
    file('package.json', '{"type":"module","engines":{"node":"^1.20.0 || ^20.99.0 || ^22.99.0"}}')
    const { code, output } = await build()
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toContain(
      `runs on Node 1 (1.20 or newer) or 20 (20.99 or newer) or 22 (22.99 or newer); this is Node ${process.versions.node}`,
    )
    expect(existsSync(join(folder, 'builds'))).toBe(false)
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    file('package.json', JSON.stringify({ type: 'module', engines }))
    expect((await build()).code).toBe(0)
  })

  test('a registry that fails is asked again more often than cargo would by itself', async () => {
    const note = `echo $CARGO_NET_RETRY >> "${folder}/retries"`
    installCargo('1.95.0', note)
    await build()
    file('native/src/lib.rs', '// another')
    await build([], { CARGO_NET_RETRY: '1' })
    expect(read('retries')).toBe('10\n1\n')
  })

  test('cargo is found where rustup puts it', async () => {
    installCargo()
    mkdirSync(join(folder, '.cargo'))
    cpSync(join(folder, 'bin'), join(folder, '.cargo', 'bin'), { recursive: true })
    expect((await build([], { PATH: join(folder, 'nowhere') })).code).toBe(0)
  })

  test('a failed build leaves the addon of before and fails again the next time', async () => {
    installCargo()
    await build()
    installCargo('1.95.0', 'false')
    file('native/src/lib.rs', '// broken')
    const { code, output } = await build()
    expect(code).toBe(1)
    expect(output).toContain('did not build')
    expect(read('native/attune.node')).toBe('// first')
    expect((await build()).code).toBe(1)
  })

  test('compiled dependencies lie in the tree, outside it for CI, or where CARGO_TARGET_DIR says', async () => {
    installCargo()
    const target = async (env: Record<string, string>) => {
      rmSync(join(folder, 'native', '.build-hash'), { force: true })
      await build([], env)
    }
    // Where there is none outside that may be written to, it lies inside, too.
    await target({ CI: 'true', HOME: '/proc/nowhere' })
    expect(existsSync(join(folder, 'native/target/release'))).toBe(true)
    await target({})
    await target({ CI: 'true' })
    await target({ CI: 'true', CARGO_TARGET_DIR: join(folder, 'own') })
    for (const place of ['native/target', '.cache/attune-target', 'own'])
      expect(existsSync(join(folder, place, 'release')), place).toBe(true)
  })
})

describe('compiling TypeScript', () => {
  beforeEach(() => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    for (const name of ['tsconfig.json', 'tsconfig.build.json'])
      cpSync(join(root, name), join(folder, name))
    file('src/main.ts', 'export const one: number = 1\n')
    file('src/page.html', '<p>')
    mkdirSync(join(folder, 'workers'))
  })

  test('compiles, copies other files, is silent when fresh and drops what is gone', async () => {
    file('src/cli/main.ts', "#!/usr/bin/env node\nimport '../main.ts'\n")
    expect((await build(['--typescript'])).code).toBe(0)
    expect(read('dist/src/cli/main.js')).toContain("'../main.js'")
    expect(read('dist/src/page.html')).toBe('<p>')
    expect(await build(['--typescript'])).toEqual({ code: 0, output: '' })
    rmSync(join(folder, 'src', 'page.html'))
    await build(['--typescript'])
    expect(readdirSync(join(folder, 'dist', 'src'))).not.toContain('page.html')
  })

  test('a mistake is shown, and what was compiled before stays', async () => {
    await build(['--typescript'])
    file('src/main.ts', "export const one: number = 'two'\n")
    const { code, output } = await build(['--typescript'])
    expect(code).toBe(1)
    expect(output).toContain('src/main.ts(1,14)')
    expect(read('dist/src/main.js')).toContain('one = 1')
    expect(readdirSync(folder).filter((name) => name.startsWith('.attune'))).toEqual([])
  })

  test('tests end with the mistakes and one sentence behind them', async () => {
    cpSync(join(root, 'test', 'compile.js'), join(folder, 'test', 'compile.js'))
    file('run.js', "import compile from './test/compile.js'\ncompile({ onTestsRerun() {} })\n")
    expect((await runNode([join(folder, 'run.js')])).code).toBe(0)
    file('src/main.ts', "export const one: number = 'two'\n")
    const { code, output } = await runNode([join(folder, 'run.js')])
    expect(code).toBe(1)
    expect(output).toContain('src/main.ts(1,14)')
    expect(output.trim().split('\n').at(-1)).toBe(
      'TypeScript did not compile; see the messages above.',
    )
  })

  test('without packages one sentence says what to run', async () => {
    rmSync(join(folder, 'node_modules'))
    const { code, output } = await build(['--typescript'])
    expect(code).toBe(1)
    expect(output).toContain('npm ci')
  })
})
