import type { Tuning } from '../../schema/tuning.ts'

/** The `id@version` that a name of a model stands for now; undefined when there is none that can rank. */
export type ExactModel = (name: string) => string | undefined

/**
 * A tuning with the version that its model has now: what others sync under the same name changes nothing in it. A name
 * that stands for none stays.
 */
export function withExactModel(tuning: Tuning, exactModel: ExactModel): Tuning {
  const { model } = tuning
  return typeof model === 'string' ? { ...tuning, model: exactModel(model) ?? model } : tuning
}
