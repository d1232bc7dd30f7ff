import { defineConfig } from 'vitest/config'
import { SETTINGS } from './src/settings.ts'

/** What the machine has set of these, such as HOST or PORT, is none of the tests' business; empty is as not set. */
const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']))

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Of a machine that is slow, and busy with others; most tests take some milliseconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    env: { ...unset, LOG_LEVEL: 'silent' },
  },
})
