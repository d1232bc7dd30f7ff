import type { VersionName } from '../../schema/model.ts'
import type { Judgement, ModelUsage, Trial, TrialUnit } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, Fact, FeedbackEntry, FeedbackFact, Impression } from '../facts.ts'
import { nameOf } from './versions.ts'

/** What people's searches and clicks say about models. */
export interface Evidence extends Consumer {
  /** Searches with a gain, since the beginning. */
  clicked: () => number
  usage: (name: string) => ModelUsage
  /** Searches that the model ranked, or scored unseen, since the beginning. */
  searches: (name: VersionName, stage: Trial['stage']) => number
  /** What every unit of a trial did. */
  trialUnits: (trial: Trial) => TrialUnit[]
  /** Removes some rows that are too old, or of trials that are over; call again while it removes. */
  sweep: (beforeMs: number) => Promise<number>
}

export interface EvidenceParts {
  store: Store
  trial: () => Trial | undefined
  /** Gain of an entry, 0..1; undefined for words that carry none. */
  gainOf: (entry: FeedbackEntry) => number | undefined
}

const CLICKED = 'modelClicks'
/** Users of a trial that are counted; beyond it only known ones are. */
const TRIAL_UNITS_MAX = 100_000
const SWEEP_ROWS = 500
const NO_USAGE: ModelUsage = { searches: 0, clicked: 0, reciprocalRank: 0, shadowSearches: 0 }

export function openEvidence({ store, trial, gainOf }: EvidenceParts): Evidence {
  const { judgements, meta, modelUsage, trialUnits } = store.tables
  let usage = new Map<string, ModelUsage>()
  let judged = new Map<string, Judgement>()
  let units = new Map<string, { key: [number, string]; value: TrialUnit }>()
  let clicked = 0
  let counted = { trial: -1, units: 0 }

  const usageOf = (name: string): ModelUsage =>
    usage.get(name) ?? modelUsage.get(name) ?? { ...NO_USAGE }
  function count(name: string, delta: Partial<ModelUsage>): void {
    const sum = { ...usageOf(name) }
    for (const key of Object.keys(delta) as (keyof ModelUsage)[]) sum[key] += delta[key] ?? 0
    usage.set(name, sum)
  }
  /** The row of the unit that searched, when the search is part of the trial. */
  function unitOf(impression: Impression): TrialUnit | undefined {
    const now = trial()
    if (now?.stage !== 'CANARY' || impression.unit === undefined) return undefined
    if (impression.timeMs < now.sinceMs) return undefined
    const arm = armOf(impression, now)
    if (arm === undefined) return undefined
    const key: [number, string] = [now.number, impression.unit]
    const id = `${now.number}/${impression.unit}`
    const value = units.get(id)?.value ?? trialUnits.get(key) ?? newcomer(now, arm)
    if (value === undefined || value.arm !== arm) return undefined
    const row = { key, value: { ...value } }
    units.set(id, row)
    return row.value
  }
  function newcomer({ number }: Trial, arm: TrialUnit['arm']): TrialUnit | undefined {
    if (counted.trial !== number) counted = { trial: number, units: countUnits(number) }
    if (counted.units >= TRIAL_UNITS_MAX) return undefined
    counted.units += 1
    return { arm, searches: 0, clicked: 0, reciprocalRank: 0 }
  }
  function countUnits(number: number): number {
    return [...trialUnits.keys({ start: [number, ''], end: [number + 1, ''] })].length
  }
  function takeSearch(impression: Impression): void {
    count(impression.model ?? '', { searches: 1 })
    const { shadowModel, shadowScores } = impression
    if (shadowModel !== undefined && shadowScores !== undefined)
      count(shadowModel, { shadowSearches: 1 })
    const unit = unitOf(impression)
    if (unit !== undefined) unit.searches += 1
  }
  function takeFeedback({ entry, impression, hit, unit }: FeedbackFact): void {
    if (entry.status !== 'learned' || impression === undefined || hit === undefined) return
    const gain = gainOf(entry) ?? 0
    const who = unit ?? impression.unit
    if (!(gain > 0) || who === undefined) return
    const { queryId } = impression
    const before = judged.get(queryId) ?? judgements.get(queryId)
    const gains = new Map(before?.gains)
    gains.set(hit, Math.max(gain, gains.get(hit) ?? 0))
    judged.set(queryId, { unit: who, gains: [...gains] })
    const isFirst = before === undefined
    const rank = 1 / (impression.from + Math.min(...gains.keys()) + 1)
    const was = isFirst
      ? 0
      : 1 / (impression.from + Math.min(...before.gains.map(([at]) => at)) + 1)
    if (isFirst) clicked += 1
    const delta = { clicked: isFirst ? 1 : 0, reciprocalRank: rank - was }
    count(impression.model ?? '', delta)
    const row = unitOf(impression)
    if (row === undefined) return
    row.clicked += delta.clicked
    row.reciprocalRank += delta.reciprocalRank
  }
  function forget(): void {
    usage = new Map()
    judged = new Map()
    units = new Map()
    counted = { trial: -1, units: 0 }
  }
  return {
    name: 'models',
    load: () => {
      forget()
      clicked = (meta.get(CLICKED) as number | undefined) ?? 0
    },
    take: (fact: Fact) => {
      if (fact.kind === 'search') takeSearch(fact.impression)
      else if (fact.kind === 'feedback') takeFeedback(fact)
    },
    save: () => {
      for (const [name, value] of usage) modelUsage.put(name, value)
      for (const [queryId, value] of judged) judgements.put(queryId, value)
      for (const { key, value } of units.values()) trialUnits.put(key, value)
      if (judged.size > 0) meta.put(CLICKED, clicked)
      usage = new Map()
      judged = new Map()
      units = new Map()
    },
    reset: () => {
      forget()
      clicked = 0
      for (const key of [...modelUsage.keys()]) modelUsage.remove(key)
      for (const key of [...judgements.keys()]) judgements.remove(key)
      for (const key of [...trialUnits.keys()]) trialUnits.remove(key)
      meta.put(CLICKED, 0)
    },
    clicked: () => clicked,
    usage: usageOf,
    searches: (name, stage) => {
      const { searches, shadowSearches } = usageOf(nameOf(name))
      return stage === 'CANARY' ? searches : shadowSearches
    },
    trialUnits: ({ number }) =>
      Array.from(
        trialUnits.range({ start: [number, ''], end: [number + 1, ''] }),
        ({ value }) => value,
      ),
    sweep: async (beforeMs) => {
      const old = [...judgements.keys({ end: firstIdAt(beforeMs), limit: SWEEP_ROWS })]
      const current = trial()?.number ?? Number.MAX_SAFE_INTEGER
      const over = [...trialUnits.keys({ end: [current, ''], limit: SWEEP_ROWS })]
      if (old.length + over.length === 0) return 0
      await store.release(() => {
        for (const key of old) judgements.remove(key)
        for (const key of over) trialUnits.remove(key)
      })
      return old.length + over.length
    },
  }
}

/** In which arm a search was, by the model that ranked it; another one's says nothing. */
function armOf({ model = '' }: Impression, trial: Trial): TrialUnit['arm'] | undefined {
  if (model === nameOf(trial)) return 'CANARY'
  return model === trial.control ? 'CONTROL' : undefined
}

/** The least UUIDv7 of a moment: query ids sort by time. */
function firstIdAt(timeMs: number): string {
  const digits = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-`
}
