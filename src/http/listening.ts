import { createServer } from 'node:net'
import { StartError } from '../errors.ts'

/**
 * Why a port couldn't be listened on, with what to do. The server that was refused doesn't say: another one, of Node's
 * own, listens there for a moment.
 */
export async function whyNotListening(host: string, port: number): Promise<StartError> {
  const cause = await refusalOf(host, port)
  const lasts = cause?.code === 'EACCES'
  return new StartError(refusalSentence(host, port, cause?.code), { cause, lasts })
}

function refusalOf(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}

/** One sentence about a refusal by its system code; undefined: nothing is wrong any more. */
export function refusalSentence(host: string, port: number, code: string | undefined): string {
  const place = `Port ${port} of ${host}`
  if (code === 'EADDRINUSE')
    return `${place} is taken: stop what listens there, or set PORT to another (0 picks a free one).`
  if (code === 'EACCES')
    return `${place} is not for this user to listen on: set PORT to another, such as one above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine: set HOST to one that is, or to 0.0.0.0 for all.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST ${host} can't be looked up (${code}): set it to an address of this machine, or to 0.0.0.0 for all.`
  return `${place} can't be listened on${code === undefined ? '' : ` (${code})`}: set HOST and PORT to others, or try again.`
}
