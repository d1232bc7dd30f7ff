import { isHeavy, jsonGradually } from '../../json/gradual-text.ts'

/** From here on, by `isHeavy`, what is told counts as long. */
const LONG = 256

/**
 * What somebody tells as JSON, if it is long. An entry of the journal is decoded whole whenever it comes by (when it is
 * taken, listed, removed), and a text in no time, whatever it holds.
 */
export function atLength(told: Record<string, unknown>): Promise<string> | undefined {
  return isHeavy(told, LONG) ? jsonGradually(told) : undefined
}
