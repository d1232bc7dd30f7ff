import type { NoteDone } from '../../schema/answer.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import { ExperimentResult } from '../../schema/experiment-result.ts'
import type { Store } from '../../store/store.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { monitoringOf } from './answers.ts'
import type { Ledger } from './ledger.ts'
import { armMeant, armNamed, findReported, notActive, unitMeant } from './lookup.ts'
import { type PlainResult, plainResult } from './plain-result.ts'
import type { Reported } from './reported.ts'
import { INTERLEAVED } from './running.ts'
import { review, type ScheduleParts, settle } from './schedule.ts'

interface ResultsParts extends ScheduleParts {
  store: Store
  sessions: Pick<Sessions, 'peek' | 'touch'>
  ledger: Ledger
  reported: Reported
}

/** Values whose unit is not read are each of another one, and stay when that one is forgotten. */
const BODY = bodyOf('a result', ExperimentResult, {
  user: 'unit',
  unitId: 'unit',
  id: 'experimentId',
  name: 'experimentName',
  variant: 'variantId',
  variantName: 'variantId',
  results: 'metrics',
  values: 'metrics',
})
const OTHER_ARM =
  'variantId: the unit was counted in another variant before, which is answered, and these values count there, too.'

const OUTSIDE =
  'variantId: the unit is outside of the experiment (its assignment says inExperiment: false), so nothing was counted.'

/** Counts values that others measured of who is in an experiment, and checks the guardrails at once. */
export type RecordResult = (sent: ExperimentResult, noteDone?: NoteDone) => Promise<object>

/** Takes results that others measured: in the arm that a unit is in, or not at all when it is in none. */
export function openResults(parts: ResultsParts): RecordResult {
  const { store, sessions, register, ledger, reported, counted, clock } = parts

  async function count(
    experiment: ExperimentRecord,
    sent: PlainResult,
    noteDone: NoteDone | undefined,
  ) {
    const meant = unitMeant(sent, sessions)
    const named = armNamed(experiment, sent.variantId)
    const given = armMeant(experiment, named, meant)
    const { unit } = meant
    const { metrics } = sent
    const idOf = (arm: number) => experiment.variants[arm]?.id ?? ''
    return await store.write(() => {
      noteDone?.()
      const kept = unit === undefined ? undefined : reported.armOf(experiment.id, unit)
      // Who took part is in it, even if nothing that is sent now says so.
      const searched = unit === undefined ? undefined : ledger.armOf(experiment, unit)
      const arm = kept ?? given ?? searched
      if (arm === undefined)
        return { variantId: idOf(0), recorded: 0, inVain: named === undefined ? [] : [OUTSIDE] }
      const recorded = reported.recordWithin({ experiment, arm, unit, metrics })
      if (experiment.mode === 'interleaving')
        return { variantId: INTERLEAVED, recorded, inVain: [] }
      const isOther = named !== undefined && arm !== named
      return { variantId: idOf(arm), recorded, inVain: isOther ? [OTHER_ARM] : [] }
    })
  }
  return async (sent, noteDone) => {
    const result = plainResult(sent)
    await settle(parts, [findReported(register, result)])
    const experiment = findReported(register, result)
    if (experiment.status !== 'ACTIVE' && experiment.status !== 'PAUSED')
      throw notActive(experiment, clock())
    const { variantId, recorded, inVain } = await count(experiment, result, noteDone)
    if (experiment.status === 'ACTIVE') await review(parts, experiment)
    const now = register.find(experiment.id) ?? experiment
    const warnings = [...unreadFields(sent, BODY), ...inVain]
    return {
      experimentId: now.id,
      variantId,
      recorded,
      status: now.status,
      ...(warnings.length > 0 ? { warnings } : {}),
      monitoring: monitoringOf(now, counted(now), clock()),
    }
  }
}
