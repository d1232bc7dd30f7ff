import type { Shot } from './client.ts'

/** Serialises a JSON request whole, ready to be written to a socket. `path` begins with /api. */
export function jsonShot(method: string, path: string, body: unknown, kind: string): Shot {
  return { bytes: serialise(method, path, 'application/json', JSON.stringify(body)), kind }
}

/** Serialises a bulk request: one JSON value a line. */
export function linesShot(path: string, rows: unknown[], kind: string): Shot {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return { bytes: serialise('POST', path, 'application/x-ndjson', text), kind }
}

function serialise(method: string, path: string, contentType: string, text: string): Buffer {
  const body = Buffer.from(text)
  const head = `${method} ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}
