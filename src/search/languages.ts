/** Languages with a stemmer and stop words of their own, by their ISO 639-1 codes. */
const BY_CODE = new Map(
  Object.entries({
    ...{ ar: 'arabic', da: 'danish', nl: 'dutch', en: 'english', fi: 'finnish', fr: 'french' },
    ...{ de: 'german', el: 'greek', hu: 'hungarian', it: 'italian', no: 'norwegian' },
    ...{ pt: 'portuguese', ro: 'romanian', ru: 'russian', es: 'spanish', sv: 'swedish' },
    ...{ ta: 'tamil', tr: 'turkish' },
  }),
)

/** Their names. */
export const LANGUAGES: readonly string[] = [...BY_CODE.values()]

/** The language that a lower-case word names, by its name or its code. */
export function languageOf(word: string): string | undefined {
  return LANGUAGES.includes(word) ? word : BY_CODE.get(word)
}
