import { expect, it, onTestFinished, vi } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { openGains } from '../../../src/learn/feedback/gains.ts'
import { type LearningHealthParts, openLearningHealth } from '../../../src/learn/health/health.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { RELEARNING } from '../../../src/learn/loop/fold.ts'
import { openLog } from '../../../src/learn/loop/log.ts'
import { openExamination } from '../../../src/learn/memory/examination.ts'
import { temporaryStore } from '../../store/open.ts'

function opened() {
  const store = temporaryStore()
  /** `ms`: of the system's clock; `passed`: of the one that nobody sets. */
  const now = { ms: 20_000 * 86_400_000, passed: 0, position: 0, serving: true }
  const clock = () => now.ms
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now.passed)
  onTestFinished(() => spy.mockRestore())
  const log = openLog(store, 10, clock)
  const figures = () => ({
    ...{ active: null, loaded: [], failed: [], clicked: 0, lastTraining: null },
    serving: now.serving,
  })
  const parts = {
    ...{ store, log, clock, config: readConfig({}) },
    loop: { position: () => now.position },
    models: { figures },
    adaptations: { figures: () => ({ adaptations: { ACTIVE: 2 }, suggestions: {} }) },
    events: openEvents(store, clock),
    examination: openExamination(store, 1),
    gains: openGains(''),
  } as unknown as LearningHealthParts
  return { now, log, store, health: openLearningHealth(parts) }
}

const STOPPED =
  'Learning has stopped 31 s ago: what people do is recorded, and teaches nothing yet. It goes on by itself once what the log names is over, such as a full disk; if the log names nothing, restart the service.'

it('finds learning stuck when it takes nothing though there is something, and not before', async () => {
  const { now, log, health } = opened()
  const pass = (ms: number) => {
    now.passed += ms
    health.watch()
  }
  pass(60_000)
  for (let at = 0; at < 3; at += 1)
    await log.append(() => ({ entry: { timeMs: now.ms, type: 'analytics' }, value: 1 }))
  // What came after a long rest has only just come.
  expect(health.training()).toMatchObject({ position: 0, behind: 3 })
  // Behind for long, but on its way.
  for (let at = 0; at < 2; at += 1) {
    pass(20_000)
    now.position += 1
    pass(1000)
  }
  expect(health.training()).toMatchObject({ position: 2, behind: 1 })
  pass(31_000)
  expect(health.training).toThrow(STOPPED)
  now.position = 3
  expect(health.training()).toMatchObject({ behind: 0 })
})

it('finds learning at work while all is folded anew, as long as that comes on', async () => {
  const { now, log, store, health } = opened()
  await log.append(() => ({ entry: { timeMs: now.ms, type: 'analytics' }, value: 1 }))
  for (let folded = 0; folded < 3; folded += 1) {
    await store.write(() => store.tables.meta.put(RELEARNING, folded))
    health.watch()
    now.passed += 29_000
    health.watch()
  }
  expect(health.training()).toMatchObject({ position: 0, behind: 1 })
  now.passed += 2000
  expect(health.training).toThrow(STOPPED)
})

it('finds learning stuck by the time that passed, wherever the clock is set meanwhile', async () => {
  const { now, log, health } = opened()
  await log.append(() => ({ entry: { timeMs: now.ms, type: 'analytics' }, value: 1 }))
  health.watch()
  now.ms += 7 * 86_400_000
  expect(health.training()).toMatchObject({ behind: 1 })
  now.ms -= 14 * 86_400_000
  now.passed += 31_000
  expect(health.training).toThrow(STOPPED)
})

it('finds the active model missing where the core has not loaded it', () => {
  const { now, health } = opened()
  expect(health.serving()).toEqual({ active: null, loaded: [], failed: 0 })
  now.serving = false
  expect(health.serving).toThrow(/^The active model could not be loaded, and the log says why: /)
})

it('reckons scores anew, also after the clock was set back', async () => {
  const { now, health } = opened()
  const first = health.scores()
  now.ms += 10_000
  expect(health.scores()).toBe(first)
  now.ms -= 86_400_000
  expect(health.scores()).not.toBe(first)
})

it('tells adaptations by status', () => {
  expect(opened().health.adaptation()).toMatchObject({ adaptations: { ACTIVE: 2 } })
})
