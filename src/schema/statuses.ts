/** The states of every resource that has some; `learn/states.ts` says which may follow which. */

export const SIGNAL_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'IGNORED'] as const
export type SignalStatus = (typeof SIGNAL_STATUSES)[number]

export const TEST_STATUSES = [
  'DRAFT',
  'ACTIVE',
  'PAUSED',
  'COMPLETED',
  'STOPPED',
  'FAILED',
] as const
export const EXPERIMENT_STATUSES = [...TEST_STATUSES, 'ROLLED_BACK'] as const
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number]

export const MODEL_STATUSES = ['CANDIDATE', 'SHADOW', 'ACTIVE', 'ARCHIVED', 'REJECTED'] as const
export type ModelStatus = (typeof MODEL_STATUSES)[number]

export const SUGGESTION_STATUSES = [
  'PENDING',
  'ACCEPTED',
  'REJECTED',
  'APPLIED',
  'EXPIRED',
] as const
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number]

export const ADAPTATION_STATUSES = [
  'PENDING',
  'VALIDATING',
  'CANARY',
  'ACTIVE',
  'SUPERSEDED',
  'REJECTED',
  'ROLLED_BACK',
  'FAILED',
] as const
export type AdaptationStatus = (typeof ADAPTATION_STATUSES)[number]
