import { invalid } from '../../errors.ts'

/** Languages with a stemmer of their own, by their ISO 639-1 codes. */
const BY_CODE = new Map(
  Object.entries({
    ar: 'arabic',
    hy: 'armenian',
    eu: 'basque',
    ca: 'catalan',
    cs: 'czech',
    da: 'danish',
    nl: 'dutch',
    en: 'english',
    et: 'estonian',
    fi: 'finnish',
    fr: 'french',
    de: 'german',
    el: 'greek',
    hi: 'hindi',
    hu: 'hungarian',
    id: 'indonesian',
    ga: 'irish',
    it: 'italian',
    lt: 'lithuanian',
    ne: 'nepali',
    no: 'norwegian',
    fa: 'persian',
    pl: 'polish',
    pt: 'portuguese',
    ro: 'romanian',
    ru: 'russian',
    sr: 'serbian',
    es: 'spanish',
    sv: 'swedish',
    ta: 'tamil',
    tr: 'turkish',
  }),
)

/** Their names. */
export const LANGUAGES: readonly string[] = [...BY_CODE.values()]

/** Those that have a list of stop words, too; that of another language has no word. */
export const STOP_WORD_LANGUAGES: readonly string[] =
  'danish dutch english finnish french german hungarian italian norwegian portuguese russian spanish swedish'.split(
    ' ',
  )

/** Whether a lower-case word asks for the words of no language. */
export function isNoLanguage(word: string): boolean {
  return word === 'none' || word === 'false' || word === 'standard'
}

/** The language that a lower-case word names, by its name or its code. */
export function languageOf(word: string): string | undefined {
  return LANGUAGES.includes(word) ? word : BY_CODE.get(word)
}

/**
 * The language whose stemmer `stemming` of an analysis, sent at `path`, asks for: one of its own, or that of the index's
 * words, which only false leaves as they are. Throws UNKNOWN_ANALYZER for another word. Codes are none: `no` may mean
 * Norwegian.
 */
export function stemmerOf(
  stemming: unknown,
  language: string | undefined,
  path: string,
): string | undefined {
  if (stemming === false) return undefined
  if (typeof stemming !== 'string') return language
  const name = stemming.toLowerCase()
  if (LANGUAGES.includes(name)) return name
  throw invalid(
    path,
    `must be true, false, or the name of a language: ${LANGUAGES.join(', ')}`,
    'UNKNOWN_ANALYZER',
  )
}
