/**
 * Under which names the server answers. A page of another website whose name is made to lead to this machine (DNS
 * rebinding) is for the browser the same origin as we are, and reads what it likes; only the `Host` that it sends gives
 * it away.
 */
import { isIP } from 'node:net'

export interface KnownNames {
  /** What the server listens on: an address, or a name. */
  readonly listening: string
  /** The setting `public_url`. */
  readonly publicUrl: string | null
  /** The setting `allowed_hosts`. */
  readonly allowedHosts: readonly string[]
}

/**
 * Addresses are always known: no name was looked up, so none can lead elsewhere; health checks of load balancers send
 * them. So is a request without `Host` (HTTP/1.0), which no browser sends.
 */
export function isKnownHost(header: string | undefined, { listening, publicUrl, allowedHosts }: KnownNames): boolean {
  if (header === undefined) return true
  const name = nameOf(header)
  if (name === null) return false
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true
  const names = [...allowedHosts, listening, ...(publicUrl === null ? [] : [new URL(publicUrl).host])]
  return names.some((known) => nameOf(known) === name)
}

/** What to do about a name that is not known. */
export function unknownHost(header: string): string {
  const name = nameOf(header)
  const which = name === null ? 'The header "Host" holds no name.' : `This server does not know itself as "${name}".`
  return `${which} If people reach it under that name, its operator has to allow it.`
}

/** In lower case, without port, brackets and a final dot; null when it is no host. */
export function nameOf(host: string): string | null {
  if (host.length > 300 || /[\s/\\?#@]/.test(host)) return null
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : URL.parse(`http://[${host}]`)
  return url === null || url.hostname === '' ? null : url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}
