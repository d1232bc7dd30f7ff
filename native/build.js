// Builds what is missing and nothing else: the Rust core, or with --typescript the server itself.
// Plain Node without dependencies, so that it runs before and without `npm ci`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const native = join(root, 'native')
const addon = join(native, 'attune.node')
const addonHash = join(native, '.build-hash')
const dist = join(root, 'dist')
const distHash = join(dist, '.build-hash')

/** A failure that needs no stack: its message says what is wrong and what to do. */
export class BuildError extends Error {}

/**
 * The environment in which cargo runs, for the build and for `cargo test` alike, so that both share
 * one target folder: CARGO_TARGET_DIR, or native/target, or a folder outside the tree when CI is set
 * (a clean checkout then still finds the compiled dependencies), if there is one that may be written to.
 */
export function cargoEnvironment() {
  const home = homeFolder()
  const isCI = process.env.CI === 'true' || process.env.CI === '1'
  const outside = isCI && home !== undefined ? cachedTarget(home) : undefined
  const target = process.env.CARGO_TARGET_DIR || outside || join(native, 'target')
  // rustup installs there; a shell that was open at the time does not know the path yet
  const installed = home === undefined ? [] : [join(home, '.cargo', 'bin')]
  const path = [process.env.PATH, ...installed].join(delimiter)
  // a clean machine fetches some hundred crates: one that does not come is no reason to give up soon
  const retries = process.env.CARGO_NET_RETRY || '10'
  return {
    ...process.env,
    PATH: path,
    CARGO_TARGET_DIR: resolve(target),
    CARGO_NET_RETRY: retries,
  }
}

/** The folder of the user; undefined for one who has none, as in a container that runs under just any number. */
function homeFolder() {
  try {
    return existsSync(homedir()) ? homedir() : undefined
  } catch {
    return undefined
  }
}

/** In a folder of the user; undefined where none may be written to. */
function cachedTarget(home) {
  try {
    const folder = join(home, '.cache', 'attune-target')
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch {
    return undefined
  }
}

/**
 * A Node for which the HTTP library brings no binary would end with a stack trace some minutes later, and an older one,
 * which lacks what this script needs itself, at once.
 */
function requireNode() {
  const { engines } = JSON.parse(read(join(root, 'package.json')))
  const lines = [...(engines?.node ?? '').matchAll(/\^(\d+)\.(\d+)/g)].map(([, major, minor]) => [
    Number(major),
    Number(minor),
  ])
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  if (lines.length === 0) return
  if (lines.some(([major, minor]) => major === ownMajor && minor <= ownMinor)) return
  const names = lines.map(([major, minor]) => `${major} (${major}.${minor} or newer)`).join(' or ')
  throw new BuildError(
    `Attune runs on Node ${names}; this is Node ${process.versions.node}. ` +
      'Install one of those (https://nodejs.org/en/download, or nvm install 22), and run npm ci again.',
  )
}

/** Builds native/attune.node unless it is fresh. */
export function buildNative() {
  underLock('native', () => {
    const hash = hashOf(nativeSources(), [process.platform, process.arch])
    if (existsSync(addon) && read(addonHash) === hash) return
    const environment = cargoEnvironment()
    requireCargo(environment)
    const firstTime = !existsSync(join(environment.CARGO_TARGET_DIR, 'release', 'deps'))
    say(`building the Rust core${firstTime ? ' (the first time takes some minutes)' : ''} …`)
    const started = Date.now()
    const built = spawnSync('cargo', ['build', '--release', '--locked'], {
      cwd: native,
      env: environment,
      stdio: 'inherit',
    })
    if (built.status !== 0)
      throw new BuildError(
        'The Rust core did not build; the message of cargo stands above. Besides Rust it needs a C++ compiler ' +
          '(Debian and Ubuntu: apt install build-essential; macOS: xcode-select --install), ' +
          'the first time a way to crates.io, and some two gigabytes of disk.',
      )
    const made = join(environment.CARGO_TARGET_DIR, 'release', libraryName())
    replace(addon, (temporary) => copyFileSync(made, temporary))
    replace(addonHash, (temporary) => writeFileSync(temporary, hash))
    say(`the Rust core is built (${Math.round((Date.now() - started) / 1000)} s)`)
  })
}

/** Compiles src/ and workers/ to dist/ unless it is fresh; other files of theirs are copied along. */
export function buildTypeScript() {
  underLock('typescript', () => {
    const compiler = join(root, 'node_modules', 'typescript', 'package.json')
    const sources = [join(root, 'src'), join(root, 'workers')].flatMap(filesIn)
    const configs = ['tsconfig.json', 'tsconfig.build.json', 'package.json'].map((name) =>
      join(root, name),
    )
    const hash = hashOf([...sources, ...configs], [])
    if (read(distHash) === hash) return
    if (!existsSync(compiler))
      throw new BuildError(
        'The packages are not installed: run npm ci first (npm ci --include=dev where NODE_ENV is production).',
      )
    say('compiling TypeScript …')
    const fresh = join(root, `.attune-dist-${process.pid}`)
    try {
      compile(compiler, fresh)
      for (const file of sources)
        if (!file.endsWith('.ts')) cpSync(file, join(fresh, relative(root, file)))
      const command = join(fresh, 'src', 'cli', 'main.js')
      if (existsSync(command)) chmodSync(command, 0o755)
      writeFileSync(join(fresh, '.build-hash'), hash)
      const old = join(root, `.attune-old-${process.pid}`)
      if (existsSync(dist)) renameSync(dist, old)
      renameSync(fresh, dist)
      rmSync(old, { recursive: true, force: true })
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

function compile(compiler, folder) {
  const { bin } = JSON.parse(readFileSync(compiler, 'utf8'))
  const tsc = join(dirname(compiler), bin.tsc)
  const project = join(root, 'tsconfig.build.json')
  const ran = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  })
  if (ran.status !== 0) throw new BuildError('TypeScript did not compile; see the messages above.')
}

function nativeSources() {
  const manifests = ['Cargo.toml', 'Cargo.lock', 'build.rs'].map((name) => join(native, name))
  const missing = manifests.slice(0, 2).find((file) => !existsSync(file))
  if (missing) throw new BuildError(`${relative(root, missing)} is missing from this checkout.`)
  return [...manifests.filter((file) => existsSync(file)), ...filesIn(join(native, 'src'))]
}

function requireCargo(environment) {
  const needed = /^rust-version\s*=\s*"([\d.]+)"/m.exec(read(join(native, 'Cargo.toml')))?.[1]
  const install = `install Rust${needed ? ` ${needed} or newer` : ''} with rustup (https://rustup.rs)`
  const asked = spawnSync('cargo', ['--version'], { env: environment, encoding: 'utf8' })
  if (asked.error)
    throw new BuildError(`Attune's core is written in Rust and cargo was not found: ${install}.`)
  if (asked.status !== 0)
    throw new BuildError(
      `Attune's core is written in Rust and cargo does not run: ${install}. It says: ${asked.stderr.trim()}`,
    )
  const found = /cargo (\d+)\.(\d+)/.exec(asked.stdout)
  const [major = 0, minor = 0] = (needed ?? '').split('.').map(Number)
  if (found && Number(found[1]) * 1000 + Number(found[2]) < major * 1000 + minor)
    throw new BuildError(`${asked.stdout.trim()} is too old for Attune's core: ${install}.`)
}

function libraryName() {
  if (process.platform === 'win32') return 'attune_native.dll'
  return process.platform === 'darwin' ? 'libattune_native.dylib' : 'libattune_native.so'
}

/** One hash over names and contents, so that a changed, added or removed file counts. */
function hashOf(files, words) {
  const hash = createHash('sha256').update(words.join(' '))
  for (const file of files.toSorted()) {
    hash.update(`\0${relative(root, file)}\0`)
    hash.update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Writes beside and renames, so that a reader sees the old file or the new one, never half of it. */
function replace(file, write) {
  const temporary = `${file}.${process.pid}`
  write(temporary)
  renameSync(temporary, file)
}

/** Two builds at once take turns; the second then finds everything fresh. A dead holder is passed over. */
function underLock(name, work) {
  const lock = join(root, `.attune-build-${name}`)
  let waiting = false
  while (!takeLock(lock)) {
    if (!waiting)
      say(
        `waiting for another build, of process ${read(join(lock, 'pid'))} … (if that is none, remove ${relative(root, lock)})`,
      )
    waiting = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  try {
    work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function takeLock(lock) {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function isAbandoned(lock) {
  try {
    const pid = Number(read(join(lock, 'pid')))
    // between mkdir and the pid lies a moment; a lock without one for longer was left by a crash
    if (!pid) return Date.now() - statSync(lock).mtimeMs > 5000
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function say(sentence) {
  process.stderr.write(`attune: ${sentence}\n`)
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    requireNode()
    if (process.argv.includes('--typescript')) buildTypeScript()
    else buildNative()
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    process.stderr.write(`\n${error.message}\n`)
    process.exitCode = 1
  }
}
