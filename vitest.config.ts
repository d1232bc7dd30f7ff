import { dirname, join, relative, resolve } from 'node:path'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { SETTINGS } from './src/settings.ts'
import { compiled } from './test/compiled.ts'

const root = import.meta.dirname

/** What the machine has set of these, such as HOST or PORT, is none of the tests' business; empty is as not set. */
const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']))

/**
 * A source that a test imports is its compiled file, which Node loads by itself: what is tested is what is shipped. Were
 * sources transformed for each file of tests, and for each thread of a server, the tests would take twice the processor.
 */
const compiledSources: Plugin = {
  name: 'compiled-sources',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || !/^\..*\.ts$/.test(id)) return null
    const source = relative(root, resolve(dirname(importer), id))
    return /^(src|workers)[\\/]/.test(source) ? compiled(source) : null
  },
}

export default defineConfig({
  plugins: [compiledSources],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/compile.js',
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, join(root, '{src,workers}/**')],
    server: { deps: { external: [/\/dist\/(src|workers)\//] } },
    pool: 'forks',
    maxWorkers: 2,
    // Of a machine that is slow, and busy with others; most tests take some milliseconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    env: { ...unset, LOG_LEVEL: 'silent' },
  },
})
