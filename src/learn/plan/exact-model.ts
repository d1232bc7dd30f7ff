import type { Tuning } from '../../schema/tuning.ts'

/** The `id@version` that a name of a model stands for now; undefined when there is none that can rank. */
export type ExactModel = (name: string) => string | undefined

/** Resolves once searches find the version that a name stands for loaded, or it can't be. */
export type LoadModel = (name: string) => Promise<void>

/**
 * A tuning with the version that its model has now: what others sync under the same name changes nothing in it. A name
 * that stands for none stays.
 */
export function withExactModel(tuning: Tuning, exactModel: ExactModel): Tuning {
  const { model } = tuning
  return typeof model === 'string' ? { ...tuning, model: exactModel(model) ?? model } : tuning
}

/** Waits for the models that tunings name: the search after a change that names one ranks by it. */
export async function loadModelsOf(
  tunings: Pick<Tuning, 'model'>[],
  loadModel: LoadModel,
): Promise<void> {
  const names = tunings.flatMap(({ model }) => (typeof model === 'string' ? [model] : []))
  await Promise.all(names.map(loadModel))
}
