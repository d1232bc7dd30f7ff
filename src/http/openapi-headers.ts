import type { Route } from './route.ts'

/** Entity tags as the conditional headers list them, weak ones too. */
const VERSIONS = '^(\\*|(W/)?"\\d{1,15}"(\\s*,\\s*(W/)?"\\d{1,15}")*)$'

/** What a client may name a request by (`store/idempotency.ts`); HTTP takes spaces at its ends away. */
const KEY = '^[!-~]([ -~]{0,253}[!-~])?$'

/** Whether it reads or writes something that has a version. */
export function isVersioned(route: Route): boolean {
  return route.errors?.includes('VERSION_MISMATCH') === true
}

/** The headers that a route reads besides those of every request, as OpenAPI parameters. */
export function describeHeaders(route: Route, method: string): object[] {
  const headers: object[] = []
  if (method === 'POST')
    headers.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'The same key and body again gets the first answer again, a refusal such as 404 or 409, too: once that is put right, send another key.',
      schema: { type: 'string', pattern: KEY },
    })
  if (isVersioned(route))
    headers.push({
      name: 'If-Match',
      in: 'header',
      required: false,
      description:
        'Versions in quotes of which the document must have one; * for any, so that it must be there.',
      schema: { type: 'string', pattern: VERSIONS },
    })
  if (isVersioned(route))
    headers.push({
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description:
        method === 'GET'
          ? 'Versions in quotes, or * for any: when the document has one of them the answer is 304 without a body.'
          : 'Versions in quotes that the document must not have; * for any, so that nothing is written when it is there already.',
      schema: { type: 'string', pattern: VERSIONS },
    })
  if (route.streams !== undefined)
    headers.push({
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: `With Accept: ${route.streams}: goes on behind the event with this id, which it has in a stream and in a list, or with what is kept where that event is gone. Empty, or of signs alone that are not ASCII, it counts as not sent; any other that no event has is refused.`,
      schema: { type: 'string', maxLength: 64 },
    })
  return headers
}
