import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchDocument, readCollection } from './beir.ts'
import { Refusal } from './refusal.ts'
import { openSynthetic } from './synthetic.ts'
import type { Workload } from './workload.ts'

/** Documents and queries of a workload; documents are made again each time they are walked. */
export interface Material {
  count: number
  documents: () => Iterable<BenchDocument & Record<string, unknown>>
  queries: string[]
}

const SYNTHETIC_QUERIES = 1000

/** Reads a workload's collection below `dataFolder`, or makes its synthetic documents. */
export async function readMaterial(workload: Workload, dataFolder: string): Promise<Material> {
  const { collection, categories, synthetic } = workload
  if (synthetic !== undefined) return makeMaterial(synthetic.documents, synthetic.seed)
  if (collection === undefined) return { count: 0, documents: () => [], queries: [] }
  const folder = join(dataFolder, collection)
  if (!existsSync(folder))
    throw new Refusal(
      `${folder} is missing. Give the folder that holds "${collection}" (a BEIR collection) with --data FOLDER.`,
    )
  const { documents, queries } = await readCollection(folder)
  return {
    count: documents.length,
    documents: () =>
      documents.map((document, position) =>
        categories === undefined
          ? { ...document }
          : { ...document, tags: [`cat${position % categories}`] },
      ),
    queries: queries.map(({ text }) => text),
  }
}

function makeMaterial(count: number, seed: number): Material {
  const made = openSynthetic(seed)
  return {
    count,
    documents: function* () {
      for (let number = 0; number < count; number++) yield { ...made.document(number) }
    },
    queries: Array.from({ length: SYNTHETIC_QUERIES }, (_, number) => made.query(number)),
  }
}
