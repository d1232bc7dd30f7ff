import type { Core, OpenState } from './core.ts'
import { forgetRemovals } from './sweep.ts'

/**
 * Makes the files of every open index hold what it has published. Only so many keep a writer:
 * the least used give theirs up.
 */
export async function checkpoint(core: Core): Promise<void> {
  const open = [...core.states.values()].filter(({ opening }) => !opening)
  const writers = open.filter(({ writer }) => writer).sort((a, b) => b.usedAt - a.usedAt)
  const surplus = new Set(writers.slice(core.config.openWritersMax))
  for (const state of open) {
    const isIdle = !state.fitting && !core.isBusy(state.entry)
    await makeDurable(core, state, isIdle && surplus.has(state))
  }
}

/** Writes what is published to disk; `release` also gives up the writer. Removals it covers are forgotten. */
export async function makeDurable(core: Core, state: OpenState, release: boolean): Promise<void> {
  if (state.published === state.durable && !(release && state.writer)) return
  const { engineId, id } = state.entry.record
  const report = await core.pool.run('checkpoint', { engineId, release })
  state.durable = report.sequence
  if (release) state.writer = false
  // Files that are being built for the same index may still need to be told of them.
  if (!core.rebuilding.has(id)) await forgetRemovals(core.store, id, report.sequence)
}
