import { invalid } from '../../errors.ts'
import { isObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { shownName } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

interface Wanted {
  is: string
  fits: (value: unknown) => boolean
}

const isText = (value: unknown): boolean => typeof value === 'string'
const TEXT: Wanted = { is: 'a text', fits: isText }
const TEXTS: Wanted = {
  is: 'a text or a list',
  fits: (value) => isText(value) || Array.isArray(value),
}
/** Search engines take numbers as texts, too. */
const LENGTH: Wanted = {
  is: 'a whole number',
  fits: (value) => isText(value) || typeof value === 'number',
}

/** JSON types of what is read of an analyzer, a tokenizer or a filter. */
const PARTS: Readonly<Record<string, ReadonlyMap<string, Wanted>>> = {
  analyzer: new Map([
    ['type', TEXT],
    ['tokenizer', TEXT],
    ['filter', TEXTS],
    ['filters', TEXTS],
    ['stopwords', TEXTS],
  ]),
  tokenizer: new Map([
    ['type', TEXT],
    ['min_gram', LENGTH],
    ['max_gram', LENGTH],
  ]),
  filter: new Map([
    ['type', TEXT],
    ['language', TEXT],
    ['name', TEXT],
    ['stopwords', TEXTS],
    ['min', LENGTH],
    ['max', LENGTH],
  ]),
}

/**
 * Throws VALIDATION_FAILED where a part of an analysis, or what is read of it, has another JSON type; `null` is one, too, and no
 * word for the default. Asked when an index is declared only, because one that was taken before must go on opening.
 */
export function refuseMistypedParts(settings: IndexSettings): void {
  for (const { path, analysis } of sentAnalyses(settings))
    for (const [kind, wanted] of Object.entries(PARTS)) {
      const parts = analysis[kind]
      if (!isObject(parts)) continue
      for (const [name, part] of Object.entries(parts))
        refuseIn(`${path}.${kind}.${shownName(name)}`, part, wanted)
    }
}

function refuseIn(path: string, part: unknown, wanted: ReadonlyMap<string, Wanted>): void {
  if (!isObject(part)) throw invalid(path, 'must be an object')
  for (const [key, value] of Object.entries(part)) {
    const { is, fits } = wanted.get(key) ?? {}
    if (fits?.(value) === false) throw invalid(`${path}.${key}`, `must be ${is}`)
    if (fits === undefined || !Array.isArray(value)) continue
    const at = value.findIndex((each) => typeof each !== 'string')
    if (at >= 0) throw invalid(`${path}.${key}[${at}]`, 'must be a text')
  }
}
