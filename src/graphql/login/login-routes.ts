/**
 * `POST /login` and `POST /logout`, for pages of this server alone. A link is used by a page that posts what stands
 * behind its "#", so that previews of links do not use it up and no log of addresses holds it.
 */
import type { AccessDenials } from '../../audit/access-denials.ts'
import type { LiveConfig } from '../../config/config.ts'
import type { Refusal } from '../../core/refusal.ts'
import { LOGIN_MS, type LoginProof, type Logins } from '../../people/logins.ts'
import type { Clock } from '../../platform/clock.ts'
import { refuse, refuseForNow } from '../files/refuse.ts'
import { sendJson } from '../health/probes.ts'
import type { Exchange, PlainRoute } from '../http/plain-route.ts'
import type { Authenticate } from '../socket/connections.ts'
import { isFromOwnPage, type CredentialOf } from './credential.ts'
import { howReached, setLoginCookie } from './login-cookie.ts'

export const LOGIN_PATH = '/login'
export const LOGOUT_PATH = '/logout'
const MAX_BYTES = 4096

export interface LoginRoutesOptions {
  readonly logins: Pick<Logins, 'logIn' | 'logOut'>
  readonly authenticate: Authenticate
  readonly denials: Pick<AccessDenials, 'unknownToken'>
  readonly credentialOf: CredentialOf
  readonly config: Pick<LiveConfig, 'current'>
  readonly clock: Clock
}

export function loginRoutes(options: LoginRoutesOptions): readonly PlainRoute[] {
  const attempts = new LoginAttempts(options.clock)
  return [
    { path: LOGIN_PATH, methods: 'POST', answer: (exchange) => logIn({ ...options, attempts }, exchange) },
    { path: LOGOUT_PATH, methods: 'POST', answer: (exchange) => logOut(options, exchange) },
  ]
}

type LoginOptions = LoginRoutesOptions & { readonly attempts: LoginAttempts }

async function logIn(
  { logins, authenticate, denials, attempts, ...options }: LoginOptions,
  exchange: Exchange,
): Promise<void> {
  const { request, response } = exchange
  const asked = await readPage(options, exchange)
  if (asked === null) return
  if (howReached(asked.origin) === 'INSECURELY') return refuse(exchange, 400, { code: 'INSECURE', problem: INSECURE })
  const address = request.socket.remoteAddress ?? ''
  const waitMs = attempts.waitMs(address)
  if (waitMs > 0) return refuseForNow(exchange, 429, String(Math.ceil(waitMs / 1000)))
  const proof = proofOf(asked.body)
  if (proof === null) return refuse(exchange, 400, { code: 'BAD_REQUEST', problem: WHAT_TO_SEND })
  // Audits a token that is unknown, and notes the use of one that is known.
  if (proof.kind === 'TOKEN') authenticate({ kind: 'TOKEN', secret: proof.secret })
  const former = options.credentialOf(request)
  const outcome = await logins.logIn(proof, former?.kind === 'LOGIN' ? former : null)
  if (outcome.kind !== 'LoggedIn') {
    attempts.wasWrong(address)
    if (proof.kind === 'LINK') denials.unknownToken(proof.secret, `POST ${LOGIN_PATH}`)
    return refuseLogin(exchange, outcome)
  }
  response.setHeader('set-cookie', setLoginCookie(asked.origin, outcome.secret, LOGIN_MS))
  sendJson(response, 200, { user: outcome.userName, expiresAt: outcome.expiresAt })
}

/** Repeatable: a browser that is not logged in is logged out. */
async function logOut({ logins, ...options }: LoginRoutesOptions, exchange: Exchange): Promise<void> {
  const { request, response } = exchange
  const asked = await readPage(options, exchange)
  if (asked === null) return
  const login = options.credentialOf(request)
  if (login?.kind === 'LOGIN') await logins.logOut(login, isRecord(asked.body) && asked.body['everywhere'] === true)
  response.setHeader('set-cookie', setLoginCookie(asked.origin, null, 0))
  sendJson(response, 200, {})
}

interface PageExchange {
  readonly origin: string
  readonly body: unknown
}

/** What a page of our own has sent. Null: it was refused. */
async function readPage(
  { config }: Pick<LoginRoutesOptions, 'config'>,
  exchange: Exchange,
): Promise<PageExchange | null> {
  const { request, response } = exchange
  const { origin, 'content-type': type = '' } = request.headers
  const bad = (status: number, problem: string): null => {
    refuse(exchange, status, { code: 'BAD_REQUEST', problem })
    return null
  }
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return bad(405, 'Use POST.')
  }
  if (origin === undefined || !isFromOwnPage(request.headers, config.current().settings.publicUrl)) {
    refuse(exchange, 403, { code: 'FORBIDDEN', problem: OWN_PAGE })
    return null
  }
  if (!/^application\/json\s*(;|$)/i.test(type)) return bad(415, 'Send "content-type: application/json".')
  const text = await readText(request)
  if (text === null) return bad(413, `The body has at most ${MAX_BYTES} bytes.`)
  try {
    return { origin, body: JSON.parse(text) as unknown }
  } catch {
    return bad(400, 'The body is not valid JSON.')
  }
}

/** Null: it is too large. */
async function readText(request: Exchange['request']): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Not `for await`: leaving it early would destroy the connection before it has the answer.
  const iterator = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    bytes += next.value.length
    if (bytes > MAX_BYTES) return null
    chunks.push(next.value)
  }
  return Buffer.concat(chunks).toString()
}

function proofOf(body: unknown): LoginProof | null {
  const { token, code } = isRecord(body) ? body : {}
  if (typeof token === 'string' && code === undefined) return { kind: 'TOKEN', secret: token.trim() }
  return typeof code === 'string' && token === undefined ? { kind: 'LINK', secret: code } : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function refuseLogin(exchange: Exchange, { kind, message }: Refusal): void {
  const [status, code] = kind === 'InvalidInput' ? ([401, 'UNAUTHENTICATED'] as const) : ([403, 'FORBIDDEN'] as const)
  refuse(exchange, status, { code, problem: message })
}

const OWN_PAGE =
  'Only a page of this server logs in. Where a proxy stands before it, it must pass "Host" on, or public_url must say how people reach it.'
const INSECURE =
  'Over http a login could be read on the way, so browsers keep it only for this machine itself. Use https (docs/deployment.md), or a tunnel: ssh -L 4000:127.0.0.1:4000 <server>, then http://127.0.0.1:4000.'
const WHAT_TO_SEND = 'Send {"token": "…"}, or {"code": "…"} with what stands behind the "#" of a link.'

const MAX_WRONG = 20
const WINDOW_MS = 60_000
/** The one that was wrong first is forgotten when there are more. */
const MAX_ADDRESSES = 10_000

interface Window {
  readonly since: number
  wrong: number
}

/**
 * How often an address may be wrong. Tokens and links are too long to be guessed; this bounds what wrong ones cost, and
 * what they write into the audit. Each process counts by itself.
 */
class LoginAttempts {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #windows = new Map<string, Window>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number {
    const window = this.#windows.get(address)
    if (window === undefined || window.wrong < MAX_WRONG) return 0
    return Math.max(0, Math.ceil(window.since + WINDOW_MS - this.#clock.monotonicMs()))
  }

  wasWrong(address: string): void {
    const now = this.#clock.monotonicMs()
    const known = this.#windows.get(address)
    const isOver = known === undefined || now - known.since >= WINDOW_MS
    if (isOver) this.#windows.delete(address)
    const window = isOver ? { since: now, wrong: 0 } : known
    window.wrong += 1
    this.#windows.set(address, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > MAX_ADDRESSES && oldest !== undefined) this.#windows.delete(oldest)
  }
}
