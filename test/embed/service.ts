import { onTestFinished } from 'vitest'
import type { Variables } from '../../src/settings.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { type EndpointCall, type EndpointReply, startEndpoint } from './endpoint.ts'

/** A service whose vectors come from an endpoint that answers so; both are there until the test is over. */
export async function startServedBy(
  answer: (call: EndpointCall) => EndpointReply | Promise<EndpointReply>,
  settings: Variables = {},
): Promise<{ service: RunningApp; calls: EndpointCall[] }> {
  const { url, calls } = await startEndpoint(answer)
  const service = await startApp({
    ...{ EMBEDDER: 'http', EMBEDDER_URL: url, EMBEDDER_DIMENSIONS: '3' },
    ...settings,
  })
  onTestFinished(() => service.close())
  return { service, calls }
}
