import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SETTINGS, type Setting } from './settings.ts'

type Value<S> = S extends { kind: { oneOf: readonly (infer W)[] } }
  ? W
  : S extends { kind: 'integer' | 'number' }
    ? number
    : S extends { kind: 'boolean' }
      ? boolean
      : string

/** The settings of one process, read once at start and never changed. */
export type Config = Readonly<{ [K in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[K]> }>

/**
 * Reads every setting from the environment, then from the JSON file named by CONFIG, then the defaults. A variable that is
 * set to nothing is as one that is not set: so compose files pass on what they were not given.
 * Throws an Error whose message names the variable and what it may be.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const named = sentIn(env, 'CONFIG')
  const file = named === undefined ? {} : readConfigFile(named)
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const sent = sentIn(env, setting.env) ?? file[setting.env]
    values[name] = sent === undefined ? setting.fallback : parseSetting(setting, sent)
  }
  values.dataDir = resolve(String(values.dataDir))
  return Object.freeze(values) as Config
}

function sentIn(env: Record<string, string | undefined>, name: string): string | undefined {
  return env[name]?.trim() === '' ? undefined : env[name]
}

function readConfigFile(path: string): Record<string, unknown> {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error('CONFIG must name a readable JSON file.', { cause })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new Error('The file named by CONFIG must hold one JSON object of settings.')
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.env))
  for (const key of Object.keys(content))
    if (!known.has(key))
      throw new Error(`${key} in the CONFIG file is not a setting; see README for the list.`)
  return content as Record<string, unknown>
}

function parseSetting(setting: Setting, sent: unknown): unknown {
  const { kind, env } = setting
  const text = String(sent).trim()
  if (kind === 'string' && text === '') return setting.fallback
  if (kind === 'string') return text
  if (kind === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true
    if (/^(false|0|no|off)$/i.test(text)) return false
    throw new Error(`${env} must be true or false.`)
  }
  if (typeof kind === 'object') {
    const word = text.toLowerCase()
    if (kind.oneOf.includes(word)) return word
    throw new Error(`${env} must be one of ${kind.oneOf.join(', ')}.`)
  }
  const number = Number(text)
  const { min = -Infinity, max = Infinity } = setting
  const whole = kind === 'integer' ? Number.isInteger(number) : Number.isFinite(number)
  if (text === '' || !whole || number < min || number > max)
    throw new Error(
      `${env} must be ${kind === 'integer' ? 'a whole number' : 'a number'} from ${min} to ${max}.`,
    )
  return number
}
