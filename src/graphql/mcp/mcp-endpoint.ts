/**
 * `POST /mcp`: this server as a server of tools (Model Context Protocol, Streamable HTTP), for the same tokens and by
 * the same rules as GraphQL. Nothing is kept between two requests.
 */
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server'
import { GraphQLError } from 'graphql'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Viewer } from '../../core/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { must } from '../../platform/must.ts'
import { sendJson } from '../health/probes.ts'
import { badRequest, MAX_BODY_BYTES, tooLarge } from '../http/bad-request.ts'
import { bearerToken } from '../http/bearer-token.ts'
import { overloadedAnswer } from '../http/overloaded.ts'
import type { Exchange } from '../http/plain-route.ts'
import { isTooDeep } from '../operation/operation-limits.ts'
import type { Admission } from '../operation/admission.ts'
import { REQUEST_ID } from '../plugins/http/use-request-id.ts'
import type { Authenticate, Connections } from '../socket/connections.ts'
import type { DoorYoga } from '../yoga.ts'
import type { ToolsOptions } from './mcp-tools.ts'
import { Operations } from './operations.ts'

export const MCP_PATH = '/mcp'

export interface McpEndpointOptions {
  readonly yoga: DoorYoga
  readonly authenticate: Authenticate
  readonly connections: Connections
  readonly admission: Pick<Admission, 'isFull'>
  /** Milliseconds to wait before this token may do more; 0: it may now. */
  readonly takeRate: (tokenName: string) => number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Calls of tools are counted as the operations that they run. */
const COUNTED_LATER = 'tools/call'

export class McpEndpoint {
  readonly #options: McpEndpointOptions
  #handler: Promise<McpHttpHandler> | null = null

  constructor(options: McpEndpointOptions) {
    this.#options = options
  }

  /** Rejects with what is a bug. A client that leaves is no failure. */
  async handle({ request, response, url }: Exchange): Promise<void> {
    const { authenticate, admission, takeRate } = this.#options
    if (url.pathname !== MCP_PATH) return sendJson(response, 404, { error: `Nothing here; tools are at ${MCP_PATH}.` })
    try {
      if (request.method !== 'POST') throw badRequest('Use POST.', 405, { allow: 'POST' })
      if (admission.isFull) throw refusal(503, overloadedAnswer())
      const token = bearerToken(request.headers.authorization)
      if (token === null || authenticate({ kind: 'TOKEN', secret: token }) === null) throw stranger()
      const { text, body } = await readBody(request)
      // Once more: a body takes as long as its sender likes.
      const viewer = authenticate({ kind: 'TOKEN', secret: token })
      if (viewer === null) throw stranger()
      const waitMs = isCountedLater(body) ? 0 : takeRate(viewer.tokenName)
      if (waitMs > 0) throw tooMany(waitMs)
      await this.#answer({ request, response, text, body }, { token, viewer })
    } catch (error) {
      if (!(error instanceof GraphQLError) || response.headersSent) throw error
      refuse({ request, response }, error)
    }
  }

  async #answer({ request, response, text, body }: Come, { token, viewer }: Known): Promise<void> {
    const { yoga, connections, clock, logger, metrics } = this.#options
    const requestId = String(response.getHeader(REQUEST_ID) ?? '')
    const caller = { viewer, requestId, logger: logger.child({ requestId }), transport: 'http' } as const
    const left = new AbortController()
    response.once('close', () => left.abort())
    const operations = new Operations({ yoga, metrics, request, caller })
    const tools: ToolsOptions = { operations, token, connections, clock, left: left.signal }
    const authInfo: AuthInfo = { token, clientId: viewer.tokenName, scopes: [], extra: { tools } }
    const asked = new Request(`http://localhost${MCP_PATH}`, {
      method: 'POST',
      headers: headersOf(request),
      body: text,
      signal: left.signal,
    })
    this.#handler ??= this.#createHandler()
    const answer = await (await this.#handler).fetch(asked, { authInfo, parsedBody: body })
    for (const [name, value] of answer.headers) response.setHeader(name, value)
    response.writeHead(answer.status)
    if (answer.body === null) return void response.end()
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch((error: unknown) => {
      if (!left.signal.aborted) throw error
    })
  }

  /** Loading the protocol takes a third of a second, which a server that nobody asks for tools need not wait for. */
  async #createHandler(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createToolServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./mcp-tools.ts'),
    ])
    const onerror = (error: Error): void =>
      this.#options.logger.debug({ err: error }, 'a request for tools was refused')
    return createMcpHandler(
      ({ authInfo }) => createToolServer(must(authInfo?.extra?.['tools'] as ToolsOptions, 'a request has its tools')),
      {
        onerror,
        // A stream is kept alive; an answer in JSON that takes its time would be cut as an idle connection.
        responseMode: 'sse',
      },
    )
  }
}

interface Come {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly text: string
  /** The text, as JSON. */
  readonly body: unknown
}

interface Known {
  readonly token: string
  readonly viewer: Viewer
}

/** Throws what is wrong with it. */
async function readBody(request: IncomingMessage): Promise<Pick<Come, 'text' | 'body'>> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json\s*(;|$)/i.test(type)) throw badRequest('Send "content-type: application/json".', 415)
  if (encoding !== 'identity') throw badRequest('Send the body uncompressed.', 415)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // Not `for await`: leaving it early would destroy the connection before it has the answer.
  const iterator = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    bytes += next.value.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(next.value)
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

function isCountedLater(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === COUNTED_LATER
}

function headersOf({ headers }: IncomingMessage): Headers {
  const kept = Object.entries(headers).filter(([name]) => name === 'accept' || name.startsWith('mcp-'))
  return new Headers([...kept.map(([name, value]): [string, string] => [name, String(value)]), JSON_TYPE])
}

const JSON_TYPE: [string, string] = ['content-type', 'application/json']

function stranger(): GraphQLError {
  const message = 'Send a known token: "Authorization: Bearer <token>".'
  return new GraphQLError(message, {
    extensions: { code: 'UNAUTHENTICATED', http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } },
  })
}

function tooMany(retryAfterMs: number): GraphQLError {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const message = `Too many operations with this token; try again in ${seconds} s.`
  return refusal(429, { message, extensions: { code: 'RATE_LIMITED', retryAfterMs } })
}

interface ForNow {
  readonly message: string
  readonly extensions: { readonly code: string; readonly retryAfterMs: number }
}

function refusal(status: number, { message, extensions }: ForNow): GraphQLError {
  const headers = { 'retry-after': String(Math.ceil(extensions.retryAfterMs / 1000)) }
  return new GraphQLError(message, { extensions: { ...extensions, http: { status, headers } } })
}

/** Before the protocol has seen it, so without an id. What is left of a body is not read. */
function refuse({ request, response }: Pick<Come, 'request' | 'response'>, error: GraphQLError): void {
  const { http, code } = error.extensions as {
    readonly http?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
    readonly code: string
  }
  for (const [name, value] of Object.entries(http?.headers ?? {})) response.setHeader(name, value)
  if (!request.complete) response.setHeader('connection', 'close')
  sendJson(response, http?.status ?? 400, {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message: error.message, data: { code } },
  })
}
