/**
 * Why a browser gets no answer from a server that is there: the page is of an origin that the server does not take, or
 * asks where the server is not.
 */
import { ClientError } from './client-error.ts'

/** Null where that is not why. Reads no answer. */
export async function originRefusal(url: string): Promise<ClientError | null> {
  const { location } = globalThis as { readonly location?: { readonly origin: string } }
  const server = new URL(url).origin
  const page = location?.origin ?? server
  if (page === server) return null
  // What needs no token, so that a page's console shows no 401 where the server has just come back.
  const probe = new URL('client.tgz', url)
  // An answer that pages may read: then it is not the origin.
  if (await answers(probe, 'cors')) return null
  if (!(await answers(probe, 'no-cors'))) return null
  // The network may have come back between the two.
  if (await answers(probe, 'cors')) return null
  // Behind a proxy the server may well be below a path.
  const root = new URL('/client.tgz', url)
  if (root.href !== probe.href && (await answers(root, 'cors')))
    return new ClientError('BAD_RESPONSE', `There is no Factotum at ${url}. Its "url" is ${server}, without a path.`)
  const fix = `Add "${page}" to cors_origins in the server's config.toml.`
  return new ClientError('FORBIDDEN', `The server at ${server} takes no pages of ${page}. ${fix}`)
}

async function answers(url: URL, mode: RequestMode): Promise<boolean> {
  try {
    await fetch(url, { method: 'HEAD', mode, credentials: 'omit', signal: AbortSignal.timeout(5000) })
    return true
  } catch {
    return false
  }
}
