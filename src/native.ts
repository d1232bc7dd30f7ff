import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Addon from '../native/attune.d.ts'
import { packageRoot } from './package.ts'

export type {
  CheckpointReport,
  CommitReport,
  FitReport,
  OpenReport,
  SearchResult,
} from '../native/attune.d.ts'

/** The Rust core's exports; see native/attune.d.ts for shapes and units. */
export type Native = typeof Addon

function load(): Native {
  const path = join(packageRoot(), 'native', 'attune.node')
  if (!existsSync(path))
    throw new Error('The Rust core is not built yet: run `npm run build` (it needs cargo).')
  return createRequire(import.meta.url)(path) as Native
}

/**
 * The one door to Rust. Handles live in a registry of the process, so every thread that loads
 * the addon sees the same indices; the main thread loads it before any worker does.
 */
export const native: Native = load()
