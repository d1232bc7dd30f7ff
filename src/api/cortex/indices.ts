import { route } from '../../http/route.ts'
import { IndexPath } from '../../schema/document.ts'
import {
  CreateIndex,
  IndexCreated,
  IndexDeleted,
  IndexInfo,
  IndexList,
  PutIndex,
} from '../../schema/indices.ts'
import { refuseContradiction } from '../agreement.ts'

/** docs/indices.md tells the same at length. */
const ABOUT = `**mappings.properties**: field → \`{type, analyzer, searchAnalyzer, searched, vectorized, weight, fields}\`, where type is
text (default), keyword, integer, long, float, double, boolean, date, object (with \`properties\`) or dense_vector (with \`dims\`), and \`fields\`
reads the same values in another way. **mappings.dynamic**: true (default), false or "strict", for fields without a mapping.

**settings.analysis**: \`language\` (english by default, with stemming and stop words: a search for IT finds nothing by its words; "none" for
neither), \`stopWords\` (true: the language's, false, a list, or "_german_"), \`stemming\` (true, false, or a language), \`asciiFolding\`, \`synonyms\` ("a, b" or "a => b"), and \`analyzer\`, \`tokenizer\`, \`filter\`
by name.

**settings.embedder**: \`kind\` learned (default), given (\`vector\` beside \`document\`) or http; \`dimensions\`, \`cut\`, \`weights\`.`

export const createIndex = route({
  method: 'POST',
  path: '/cortex/indices',
  tag: 'indices',
  summary: 'Create an index with its settings, analysis and mappings',
  description: ABOUT,
  body: CreateIndex,
  example: {
    name: 'papers',
    settings: { analysis: { analyzer: { default: { type: 'english' } } } },
    mappings: { properties: { year: { type: 'integer' } } },
  },
  reply: IndexCreated,
  errors: ['INDEX_EXISTS', 'LIMIT_REACHED', 'UNKNOWN_ANALYZER', 'MAPPING_CONFLICT'],
  handle: ({ app, body }) => app.catalog.create(body.name, body),
})

export const putIndex = route({
  method: 'PUT',
  path: '/cortex/indices/{name}',
  tag: 'indices',
  summary: 'Create an index, or add fields to one that exists',
  params: IndexPath,
  body: PutIndex,
  bodyOptional: true,
  reply: IndexCreated,
  errors: ['INDEX_EXISTS', 'LIMIT_REACHED', 'UNKNOWN_ANALYZER', 'MAPPING_CONFLICT', 'UNHEALTHY'],
  handle: ({ app, params, body }) => {
    const { name } = params
    refuseContradiction({ path: 'name', again: body.name, place: 'the path', first: name })
    return app.catalog.put(name, body)
  },
})

export const listIndices = route({
  method: 'GET',
  path: '/cortex/indices',
  tag: 'indices',
  summary: 'List the indices with their figures',
  reply: IndexList,
  handle: async ({ app }) => ({ indices: await app.catalog.list() }),
})

export const getIndex = route({
  method: 'GET',
  path: '/cortex/indices/{name}',
  tag: 'indices',
  summary: 'Read one index: settings, mappings, documents, size, vector space, generation',
  params: IndexPath,
  reply: IndexInfo,
  errors: ['INDEX_NOT_FOUND', 'UNHEALTHY'],
  handle: ({ app, params }) => app.catalog.get(params.name),
})

export const deleteIndex = route({
  method: 'DELETE',
  path: '/cortex/indices/{name}',
  tag: 'indices',
  summary: 'Delete an index with its documents',
  params: IndexPath,
  reply: IndexDeleted,
  errors: ['INDEX_NOT_FOUND'],
  handle: ({ app, params }) => app.catalog.remove(params.name),
})
