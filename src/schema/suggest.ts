import { type Static, Type } from 'typebox'
import { IndexNames } from './search.ts'

export const SuggestRequest = Type.Object({
  prefix: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'what is being typed: its last word is completed; it or query is required',
    }),
  ),
  query: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'words whose spelling is corrected; they are not completed; it or prefix is required',
    }),
  ),
  index: Type.Optional(IndexNames),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})
export type SuggestRequest = Static<typeof SuggestRequest>

const SuggestedText = Type.Object({
  text: Type.String({ description: 'what was typed, with a word as documents write it' }),
  documents: Type.Integer({ description: 'documents that have the last word' }),
})
const Correction = Type.Object({
  text: Type.String(),
  documents: Type.Integer(),
  distance: Type.Integer({ description: 'letters in which the word differs' }),
})
export const SuggestReply = Type.Object({
  completions: Type.Array(SuggestedText, { description: 'of prefix' }),
  corrections: Type.Array(Correction, {
    description:
      'of query; empty where a search by words finds its words, in whatever form, or what they are as one word',
  }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'what the request said in vain, eight at most: indices whose files can not be opened, where none is named, what stands in its address, fields that no suggestion has, and a query alone that has no correction',
    }),
  ),
})
