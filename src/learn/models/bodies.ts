import { ModelRollback, ModelSync, ModelTraining, VersionChoice } from '../../schema/model.ts'
import { ModelState } from '../../schema/model-state.ts'
import { bodyOf } from '../wire/unread-fields.ts'

/*
 * What is read of the bodies that change models. A version that is not read would be the newest, and what belongs into a
 * state the state of another model.
 */

export const SYNCED = bodyOf('a model', ModelSync, {
  id: 'modelId',
  model: 'modelId',
  name: 'modelId',
  active: 'activate',
  ...Object.fromEntries(Object.keys(ModelState.properties).map((name) => [name, `state.${name}`])),
  mean: 'state.scaler.mean',
  std: 'state.scaler.std',
  features: 'state.featureNames',
})

export const CHOSEN = bodyOf('the choice of a version', VersionChoice, {
  modelVersion: 'version',
  versionId: 'version',
})

export const ROLLED_BACK = bodyOf('a rollback', ModelRollback, { canary: 'trial', shadow: 'trial' })

export const TRAINED = bodyOf('a training', ModelTraining, {
  id: 'modelId',
  model: 'modelId',
  name: 'modelId',
  type: 'kind',
  modelType: 'kind',
  algorithm: 'kind',
  from: 'since',
  start: 'since',
  startDate: 'since',
})
