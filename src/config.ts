import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { placeOfMistake, withoutMark } from './first-mistake.ts'
import { nearestName } from './nearest-name.ts'
import { SETTINGS, type Setting } from './settings.ts'
import { beginningOf, shownName } from './word.ts'

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
 * Reads every setting from the environment, then from the JSON file named by CONFIG, then the defaults. An empty
 * variable counts as one that is not set, so that compose files can pass on what they were not given. Throws an Error
 * whose message names the variable and what it may be.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const named = sentIn(env, 'CONFIG')
  const file = named === undefined ? {} : readConfigFile(String(named))
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const sent = sentIn(env, setting.env) ?? sentInFile(file, setting)
    values[name] = sent === undefined ? setting.fallback : parseSetting(setting, sent)
  }
  values.dataDir = resolve(String(values.dataDir))
  // An IPv6 address as it stands in a URL.
  values.host = String(values.host).replace(/^\[(.*)\]$/, '$1')
  const config = Object.freeze(values) as Config
  refuseTogether(config)
  return config
}

const VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ env }) => env))

function hint(meant: string | undefined): string {
  return meant === undefined ? 'see docs/settings.md for the list' : `${meant} is`
}

/** Variables that the command line reads by itself. A short name, besides, is near to many that are somebody else's. */
const NOT_MISTYPED = new Set(['CONFIG', 'ATTUNE_URL', 'ATTUNE_KEY'])
const MISTYPED_LENGTH_MIN = 6
const PREFIX = 'ATTUNE_'

/**
 * Variables that are most likely misspelt settings, with a sentence each. They can't stop the start, as an unknown
 * name in a file does: the environment is everybody's. But who sets API_KEY must not believe that keys are asked for.
 */
export function mistypedSettings(
  env: Record<string, string | undefined>,
): { variable: string; sentence: string }[] {
  return Object.entries(env).flatMap(([variable, value]) => {
    const meant = meantBy(variable, value)
    if (meant === undefined) return []
    return [
      { variable, sentence: `${shownName(variable)} is set, but is not a setting; ${meant} is` },
    ]
  })
}

function meantBy(variable: string, value: string | undefined): string | undefined {
  if (VARIABLES.has(variable) || NOT_MISTYPED.has(variable)) return undefined
  if (variable.startsWith(PREFIX)) {
    const rest = variable.slice(PREFIX.length)
    // Kubernetes tells the address of a service named attune so.
    if (value?.startsWith('tcp://') === true) return undefined
    return VARIABLES.has(rest) ? rest : nearLong(rest)
  }
  return nearLong(variable)
}

function nearLong(name: string): string | undefined {
  return name.length < MISTYPED_LENGTH_MIN ? undefined : nearestName(name, VARIABLES)
}

/** The variable by which a setting is given: messages about its limit name it. */
export function variableOf(name: keyof Config): string {
  return SETTINGS[name].env
}

/**
 * A blank text counts as not set. Not so for keys: a template that leaves them blank must not switch authentication
 * off.
 */
function sentIn(from: Record<string, unknown>, name: string): unknown {
  const sent = from[name]
  if (typeof sent !== 'string' || sent.trim() !== '') return sent
  if (name === SETTINGS.apiKeys.env && sent !== '')
    throw new Error(`${name} must be ${SETTINGS.apiKeys.form.means}; without any, leave it empty.`)
  return undefined
}

/**
 * What the file says of a setting: a list where the variable takes one with commas; null counts as not set. Keys are
 * given or left out: neither null nor an empty list leaves the service open.
 */
function sentInFile(file: Record<string, unknown>, { env, kind, list, secret }: Setting): unknown {
  const sent = file[env]
  if (kind !== 'string' || typeof sent === 'string') return sentIn(file, env) ?? undefined
  if (sent === undefined || (sent === null && secret !== true)) return undefined
  if (list === true && isTexts(sent)) {
    const text = sent.join(',')
    if (secret !== true || text.trim() !== '') return text
  }
  const orList = list === true ? ', or a list of texts' : ''
  throw new Error(`${env} in the CONFIG file must be a text in quotes${orList}.`)
}

function isTexts(sent: unknown): sent is string[] {
  return Array.isArray(sent) && sent.every((part) => typeof part === 'string')
}

function readConfigFile(name: string): Record<string, unknown> {
  const path = resolve(name)
  const content = parseFile(path, contentOf(path))
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new Error(`The file ${path}, named by CONFIG, must hold one JSON object of settings.`)
  for (const key of Object.keys(content))
    if (!VARIABLES.has(key))
      throw new Error(
        `${shownName(key)} in the CONFIG file is not a setting; ${hint(nearestName(key, VARIABLES))}.`,
      )
  return content as Record<string, unknown>
}

function contentOf(path: string): Buffer {
  try {
    return withoutMark(readFileSync(path))
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`
    throw new Error(`The file ${path}, named by CONFIG, ${why}.`, { cause })
  }
}

/** The parser's own words would quote the file, which may hold keys. */
function parseFile(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    const { line, column } = placeOfMistake(bytes)
    throw new Error(
      `The file ${path}, named by CONFIG, is not valid JSON at line ${line}, column ${column}.`,
    )
  }
}

/** What one setting alone can't tell. Throws as `readConfig` does. */
function refuseTogether({ embedder, embedderUrl }: Config): void {
  if (embedder === 'http' && embedderUrl === '')
    throw new Error('EMBEDDER=http needs EMBEDDER_URL: the address of an /embeddings endpoint.')
  if (embedderUrl !== '' && !/^https?:$/.test(protocolOf(embedderUrl)))
    throw new Error('EMBEDDER_URL must be an address that begins with http:// or https://.')
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : ''
}

function parseSetting(setting: Setting, sent: unknown): unknown {
  const { kind, form } = setting
  if (kind === 'string') {
    const text = String(sent).trim()
    if (text === '') return setting.fallback
    if (form === undefined || form.pattern.test(text)) return text
    throw refused(setting, form.means, sent)
  }
  // A list of one would be read as what it holds.
  const text = typeof sent === 'object' ? '' : String(sent).trim()
  if (kind === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true
    if (/^(false|0|no|off)$/i.test(text)) return false
    throw refused(setting, 'true or false', sent)
  }
  if (typeof kind === 'object') {
    const word = text.toLowerCase()
    if (kind.oneOf.includes(word)) return word
    throw refused(setting, `one of ${kind.oneOf.join(', ')}`, sent)
  }
  return parseNumber(setting, text, sent)
}

function parseNumber(setting: Setting, text: string, sent: unknown): number {
  const { kind, min = -Infinity, max = Infinity } = setting
  const number = Number(text)
  const isWhole = kind !== 'integer' || Number.isInteger(number)
  if (text !== '' && Number.isFinite(number) && isWhole && number >= min && number <= max)
    return number
  const what = kind === 'integer' ? 'a whole number' : 'a number'
  throw refused(setting, `${what} from ${min} to ${max}`, sent)
}

function refused({ env, secret }: Setting, means: string, sent: unknown): Error {
  return new Error(`${env} must be ${means}${secret === true ? '' : `, not ${shownValue(sent)}`}.`)
}

/** Characters of a value that a message shows. */
const SHOWN_MAX = 64

/** A setting's value as messages show it, shortened; a file may give anything for a number. */
export function shownValue(sent: unknown): string {
  return typeof sent === 'string'
    ? JSON.stringify(shortened(sent))
    : shortened(JSON.stringify(sent))
}

function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${beginningOf(text, SHOWN_MAX)}…` : text
}
