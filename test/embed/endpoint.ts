import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from '../listen.ts'

export interface EndpointCall {
  input: string[]
  model?: string
  encoding_format?: string
  authorization: string | undefined
}

export interface EndpointReply {
  status?: number
  headers?: Record<string, string>
  /** Sent as JSON, or as it is when it is text. */
  body?: unknown
  /** Closes the connection instead of answering. */
  hangUp?: boolean
  /** Never answers. */
  silent?: boolean
}

/** A small embeddings endpoint; `answer` decides what each call gets. */
export async function startEndpoint(
  answer: (call: EndpointCall, number: number) => EndpointReply | Promise<EndpointReply>,
): Promise<{ url: string; calls: EndpointCall[] }> {
  const calls: EndpointCall[] = []
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers
    const call: EndpointCall = { ...JSON.parse(await readAll(request)), authorization }
    calls.push(call)
    const reply = await answer(call, calls.length)
    if (reply.silent === true) return
    if (reply.hangUp === true) return void request.socket.destroy()
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {})
    response.writeHead(reply.status ?? 200, reply.headers).end(body)
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/v1/embeddings`, calls }
}

/** The vector of a text: its length, its first character, and a half. */
export function vectorOf(text: string): number[] {
  return [text.length, text.charCodeAt(0) || 0, 0.5]
}

/** An answer with one vector a text, last first, as numbers or base64 as asked. */
export function embeddings({ input, encoding_format }: EndpointCall): EndpointReply {
  const encode = (vector: number[]) =>
    encoding_format === 'base64'
      ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      : vector
  const data = input.map((text, index) => ({ index, embedding: encode(vectorOf(text)) }))
  return { body: { data: data.reverse() } }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
