import { SETTINGS } from '../../settings.ts'
import { duration } from '../amounts.ts'
import { withDemoServer } from '../demo-server.ts'
import { bold, type Terminal } from '../terminal.ts'
import { showTest } from './ab-test.ts'
import { showClicks } from './clicks.ts'
import { showFraud } from './fraud.ts'
import { showHarm } from './harm.ts'
import { showModels } from './models.ts'
import { openStage } from './stage.ts'

/**
 * With fewer, the gate of models would now and then say neither yes nor no: it wants `MODEL_GATE_SAMPLE_MIN` effective users,
 * and a few people whose order was drawn may count for so much that the others are half as many.
 */
export const DEMO_PEOPLE_MIN = 2 * SETTINGS.modelGateSampleMin.fallback

const STEPS = [showClicks, showFraud, showModels, showHarm, showTest]

/**
 * Shows how the service learns, on a server and a folder of its own: clicks that move a document, fraud that moves
 * nothing, models and changes that are refused or taken back, a test that finds the better ranking. Answers whether
 * every step did what it says.
 */
export async function demoLearning(
  terminal: Terminal,
  { people }: { people: number },
): Promise<boolean> {
  const failures = await withDemoServer(terminal, async (client) => {
    const started = Date.now()
    const stage = openStage(terminal, client, people)
    for (const step of STEPS) await step(stage)
    const took = duration((Date.now() - started) / 1000)
    terminal.print(`\nThe steps took ${took}.`)
    return stage.failures()
  })
  const result =
    failures === 0 ? 'Every step did what it says.' : `${failures} things went another way.`
  terminal.print(`${bold(terminal, result)} The demo has cleaned up after itself.`)
  return failures === 0
}
