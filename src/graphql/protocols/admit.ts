/** Whether a request in another protocol than GraphQL is let in, by the rules that hold for GraphQL, and its body. */
import { GraphQLError } from 'graphql'
import type { IncomingMessage } from 'node:http'
import { MAX_UPLOAD_BYTES } from '../../core/file/uploaded-file.ts'
import type { Credential, Viewer } from '../../core/identity.ts'
import { badRequest, MAX_BODY_BYTES, tooLarge } from '../http/bad-request.ts'
import { bearerToken, UNKNOWN_TOKEN } from '../http/bearer-token.ts'
import { overloadedAnswer } from '../http/overloaded.ts'
import type { Admission } from '../operation/admission.ts'
import { isTooDeep } from '../operation/operation-limits.ts'
import type { Authenticate, Connections } from '../socket/connections.ts'
import { Refused } from './refused.ts'

export interface AdmitOptions {
  readonly authenticate: Authenticate
  readonly admission: Pick<Admission, 'isFull'>
  /** Milliseconds to wait before this token may do more; 0: it may now. */
  readonly takeRate: (tokenName: string) => number
}

export interface IdentifiedCaller {
  readonly credential: Credential & { readonly kind: 'TOKEN' }
  readonly viewer: Viewer
}

export interface Admitted extends IdentifiedCaller {
  readonly text: string
  /** The text, as JSON. */
  readonly body: unknown
}

/** Who asks. Throws a GraphQLError, with its HTTP status, for who may not. */
export function admitCaller(request: IncomingMessage, { admission, authenticate }: AdmitOptions): IdentifiedCaller {
  if (admission.isFull) throw forNow(503, overloadedAnswer())
  const token = bearerToken(request.headers.authorization)
  if (token === null) throw stranger()
  const credential = { kind: 'TOKEN', secret: token } as const
  const viewer = authenticate(credential)
  if (viewer === null) throw stranger(UNKNOWN_TOKEN)
  return { credential, viewer }
}

/** The same, with a body that is JSON. */
export async function admit(request: IncomingMessage, options: AdmitOptions): Promise<Admitted> {
  const { credential } = admitCaller(request, options)
  const read = await readBody(request)
  // Once more: a body takes as long as its sender likes.
  const viewer = options.authenticate(credential)
  if (viewer === null) throw stranger(UNKNOWN_TOKEN)
  return { credential, viewer, ...read }
}

/** Throws a Refused when the user of who is about to wait for a turn has as many connections as they may. */
export function admitWaiting(
  { viewer }: Pick<IdentifiedCaller, 'viewer'>,
  connections: Pick<Connections, 'refusal'>,
): void {
  const refusal = connections.refusal(viewer)
  if (refusal !== null) throw new Refused(`Too many connections: ${refusal}`, { code: 'LIMIT_EXCEEDED' })
}

/** Counts a request that runs no operation. Throws when its token has sent too many. */
export function countRequest({ viewer }: IdentifiedCaller, { takeRate }: AdmitOptions): void {
  const waitMs = takeRate(viewer.tokenName)
  if (waitMs <= 0) return
  const message = `Too many operations with this token; try again in ${Math.ceil(waitMs / 1000)} s.`
  throw forNow(429, { message, extensions: { code: 'RATE_LIMITED', retryAfterMs: waitMs } })
}

/** Reads what comes for nothing, up to the size of a file: its sender, who writes first, then comes to read why. */
export async function passOver(request: IncomingMessage): Promise<void> {
  let bytes = 0
  for await (const piece of piecesOf(request)) {
    bytes += piece.length
    if (bytes > MAX_UPLOAD_BYTES) return
  }
}

/**
 * A body, as it comes. Who leaves before its end is refused, which no failure of the server is; who stops reading it
 * earlier keeps the connection, which `for await` of the request itself would destroy before it has the answer.
 */
async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  const iterator = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } catch (error) {
    if (request.complete) throw error
    throw badRequest('The body was broken off.')
  }
}

async function readBody(request: IncomingMessage): Promise<Pick<Admitted, 'text' | 'body'>> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json\s*(;|$)/i.test(type)) throw badRequest('Send "content-type: application/json".', 415)
  if (encoding !== 'identity') throw badRequest('Send the body uncompressed.', 415)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const piece of piecesOf(request)) {
    bytes += piece.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(piece)
  }
  const text = Buffer.concat(chunks).toString()
  const body = parse(text)
  if (isTooDeep(body)) throw badRequest('The body is nested too deeply.')
  return { text, body }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
}

function stranger(message = 'Send a token: "Authorization: Bearer <token>".'): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'UNAUTHENTICATED', http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } },
  })
}

interface ForNow {
  readonly message: string
  readonly extensions: { readonly code: string; readonly retryAfterMs: number }
}

function forNow(status: number, { message, extensions }: ForNow): GraphQLError {
  const headers = { 'retry-after': String(Math.ceil(extensions.retryAfterMs / 1000)) }
  return new GraphQLError(message, { extensions: { ...extensions, http: { status, headers } } })
}

/** The answer that stands in such an error. What is left of a body is not read. */
export function httpOf(error: GraphQLError): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly code: string
} {
  const { http, code } = error.extensions as {
    readonly http?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
    readonly code: string
  }
  return { status: http?.status ?? 400, headers: http?.headers ?? {}, code }
}
