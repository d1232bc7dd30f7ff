import { canonicalJson } from '../src/json/canonical.ts'
import { checksumOf, readState } from '../src/learn/models/state.ts'
import { native } from '../src/native.ts'
import { isObject } from '../src/object.ts'
import type { ModelKind } from '../src/schema/model.ts'
import { openReader } from '../src/store/reader.ts'

// Background work.
native.giveWay(10)

/** A version whose state is in the record store. */
interface StoredState {
  dataDir: string
  modelId: string
  version: number
}

export interface ModelInput {
  source: { state: Record<string, unknown> } | StoredState
  /** Under which the core loads it. */
  handle: number
  /** Whether it stays loaded. */
  keep: boolean
  /** Handles of models that are wanted no more. */
  drop: number[]
}

export interface ModelOutput {
  servable: boolean
  /** Sentences. */
  reasons: string[]
  /** What is in the state that does not count; sentences. */
  warnings?: string[]
  checksum: string
  kind?: ModelKind
  /** Names of its features and what its maker measured, each if that is little. */
  features?: string[]
  metrics?: Record<string, unknown>
  /** The state as canonical JSON in UTF-8, when it is not stored yet. */
  bytes?: Uint8Array
}

/** What is shown with the version has so many characters of JSON at most. */
const SHOWN_CHARACTERS_MAX = 4096

/** Reads a state as a model and loads it into the core, which has the last word on whether it can. */
export function model({ source, handle, keep, drop }: ModelInput): ModelOutput {
  for (const unwanted of drop) native.dropModel(unwanted)
  const sent = 'state' in source
  const text = sent ? canonicalJson(source.state) : storedText(source)
  const state = sent ? source.state : (JSON.parse(text) as Record<string, unknown>)
  const { model: core, features, ...read } = readState(state, native.featureNames())
  const refusal = core === undefined ? undefined : load(handle, core, keep)
  return {
    ...read,
    ...(features === undefined || isLong(features) ? {} : { features }),
    ...(refusal === undefined ? {} : { servable: false, reasons: [refusal] }),
    checksum: checksumOf(text),
    ...(sent ? { ...shownMetrics(state), bytes: Buffer.from(text) } : {}),
  }
}

function shownMetrics({ metrics }: Record<string, unknown>): Pick<ModelOutput, 'metrics'> {
  return !isObject(metrics) || isLong(metrics) ? {} : { metrics }
}

function isLong(told: object): boolean {
  return JSON.stringify(told).length > SHOWN_CHARACTERS_MAX
}

function storedText({ dataDir, modelId, version }: StoredState): string {
  const bytes = openReader(dataDir).modelState(modelId, version)
  if (bytes === undefined) throw new Error('MODEL_NOT_FOUND: The state of this model is gone.')
  return bytes.toString()
}

/** Why the core can't rank with it, if it can't. */
function load(handle: number, core: string, keep: boolean): string | undefined {
  try {
    native.loadModel(handle, core)
  } catch (cause) {
    const [, sentence = ''] = /^BAD_REQUEST: (.*)$/s.exec(String((cause as Error).message)) ?? []
    if (sentence === '') throw cause
    // The place is one in a text of ours, not in what the client sent.
    const bare = sentence.replace(/ at line \d+ column \d+$/, '')
    return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}.`
  }
  if (!keep) native.dropModel(handle)
  return undefined
}
