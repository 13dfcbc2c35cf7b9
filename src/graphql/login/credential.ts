/**
 * By what a request says who it is from: a token in `Authorization`, or the cookie of a login. Browsers send a cookie
 * whatever page asks, so it counts only where the browser says that the page is our own.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { LiveConfig } from '../../config/config.ts'
import type { Credential } from '../../core/identity.ts'
import { bearerToken } from '../http/bearer-token.ts'
import { isOwnOrigin } from '../http/origin.ts'
import { readLoginCookie } from './login-cookie.ts'

/** As node:http has headers, or as fetch has. */
export type SomeHeaders = IncomingHttpHeaders | Headers

/** Null: it says nothing that could be true. */
export type CredentialOf = (request: { readonly headers: SomeHeaders }) => Credential | null

export function credentialReader(config: Pick<LiveConfig, 'current'>): CredentialOf {
  return ({ headers }) => {
    const authorization = header(headers, 'authorization')
    if (authorization !== null) {
      const token = bearerToken(authorization)
      return token === null ? null : { kind: 'TOKEN', secret: token }
    }
    const cookie = header(headers, 'cookie')
    if (cookie === null || !isFromOwnPage(headers, config.current().settings.publicUrl)) return null
    const login = readLoginCookie(cookie, header(headers, 'host') ?? '')
    return login === null ? null : { kind: 'LOGIN', secret: login }
  }
}

/**
 * Browsers leave out `Origin` when a page only reads from its own server, and say so in `Sec-Fetch-Site`, which old
 * ones do not send: those read nothing.
 */
export function isFromOwnPage(headers: SomeHeaders, publicUrl: string | null): boolean {
  const origin = header(headers, 'origin')
  const site = header(headers, 'sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  return origin === null ? site !== null : isOwnOrigin(origin, header(headers, 'host'), publicUrl)
}

function header(headers: SomeHeaders, name: string): string | null {
  const value = headers instanceof Headers || isFetchHeaders(headers) ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : null
}

/** Those of yoga's own implementation. */
function isFetchHeaders(headers: SomeHeaders): headers is Headers {
  return typeof headers.get === 'function'
}
