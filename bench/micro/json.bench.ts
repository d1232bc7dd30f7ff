import { readdirSync, readFileSync } from 'node:fs'
import { prepareReply } from '../../src/http/reply.ts'
import { readJson } from '../../src/json/json.ts'
import { openSynthetic } from '../synthetic.ts'

/** What reading a body costs beside plain JSON.parse, and what building a reply costs. */
const synthetic = openSynthetic(3)
const bodies = {
  search: { query: synthetic.query(1), index: 'documents', size: 10, searchType: 'hybrid' },
  document: { index: 'documents', document: synthetic.document(1) },
  bulk: { documents: Array.from({ length: 500 }, (_, number) => synthetic.document(number)) },
  readme: { content: readFileSync('node_modules/undici/README.md', 'utf8').repeat(4) },
  names: readdirSync('node_modules'),
}

for (const [name, value] of Object.entries(bodies)) {
  const bytes = Buffer.from(JSON.stringify(value))
  const plain = measure(() => JSON.parse(bytes.toString()))
  const checked = measure(() => readJson(bytes, 32))
  const times = (checked / plain).toFixed(2)
  console.log(
    `read ${name} (${bytes.length} bytes): ${checked.toFixed(2)} µs, ${times} × JSON.parse (${plain.toFixed(2)} µs)`,
  )
}

const page = Buffer.alloc(12_000, 0x20)
const meta = { tookMs: 1, requestId: '01912345-6789-7abc-8def-0123456789ab' }
console.log(
  `reply around ${page.length} ready bytes: ${measure(() =>
    prepareReply({ kind: 'answer', data: page }, meta),
  ).toFixed(2)} µs`,
)
console.log(
  `reply with a session: ${measure(() =>
    prepareReply({ sessionId: meta.requestId, created: '2026-01-01', metadata: {} }, meta),
  ).toFixed(2)} µs`,
)

/** Mean microseconds of a call, after a warm-up. */
function measure(work: () => unknown): number {
  const until = (ms: number) => {
    const from = performance.now()
    let count = 0
    for (; performance.now() - from < ms; count++) work()
    return ((performance.now() - from) * 1000) / count
  }
  until(150)
  return until(400)
}
