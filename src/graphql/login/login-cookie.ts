/**
 * The cookie of a login. Scripts cannot read it, no page of another site sends it, and over https no other host can set
 * it. Browsers do not separate the ports of a host, so on this machine its name holds the port: servers beside each
 * other do not end each other's logins.
 */
import { isLoopback } from '../http/origin.ts'

/** Over https; browsers take it only from this host, for all of it. */
const SECURE_NAME = '__Host-factotum-login'
const SECRET = /^fcl_[0-9a-f]{64}$/
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

/** How a browser reaches the server: by its page's origin. */
export type Reached = 'SECURELY' | 'ON_THIS_MACHINE' | 'INSECURELY'

/** `origin` is such as "https://factotum.example". */
export function howReached(origin: string): Reached {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:') return 'SECURELY'
  return isLoopback(hostname) ? 'ON_THIS_MACHINE' : 'INSECURELY'
}

/** `secret` null: removes it. */
export function setLoginCookie(origin: string, secret: string | null, maxAgeMs: number): string {
  const isSecure = howReached(origin) === 'SECURELY'
  const name = isSecure ? SECURE_NAME : nameOnThisMachine(new URL(origin).host)
  const age = `Max-Age=${secret === null ? 0 : Math.floor(maxAgeMs / 1000)}`
  return [`${name}=${secret ?? ''}`, ATTRIBUTES, age, ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** Of the headers `Cookie` and `Host`; null when there is none. */
export function readLoginCookie(cookie: string, host: string): string | null {
  const cookies = new Map(cookie.split(';').map(toPair))
  const known = [cookies.get(SECURE_NAME), cookies.get(nameOnThisMachine(host))]
  return known.find((secret) => secret !== undefined && SECRET.test(secret)) ?? null
}

function toPair(part: string): [string, string] {
  const at = part.indexOf('=')
  return [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

function nameOnThisMachine(host: string): string {
  return `factotum-login-${/:(\d{1,5})$/.exec(host)?.[1] ?? '80'}`
}
