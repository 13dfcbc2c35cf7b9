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
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { must } from '../../platform/must.ts'
import { readTrace } from '../../telemetry/trace-parent.ts'
import { sendJson } from '../health/probes.ts'
import { badRequest } from '../http/bad-request.ts'
import type { Exchange } from '../http/plain-route.ts'
import { REQUEST_ID } from '../plugins/http/use-request-id.ts'
import type { Connections } from '../socket/connections.ts'
import type { DoorYoga } from '../yoga.ts'
import type { ToolsOptions } from './mcp-tools.ts'
import { Operations } from '../protocols/operations.ts'
import { admit, countRequest, httpOf, type AdmitOptions, type IdentifiedCaller } from '../protocols/admit.ts'

export const MCP_PATH = '/mcp'

export interface McpEndpointOptions extends AdmitOptions {
  readonly yoga: DoorYoga
  readonly connections: Connections
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export class McpEndpoint {
  readonly #options: McpEndpointOptions
  #handler: Promise<McpHttpHandler> | null = null

  constructor(options: McpEndpointOptions) {
    this.#options = options
  }

  /** Rejects with what is a bug. A client that leaves is no failure. */
  async handle({ request, response, url }: Exchange): Promise<void> {
    if (url.pathname !== MCP_PATH) return sendJson(response, 404, { error: `Nothing here; tools are at ${MCP_PATH}.` })
    try {
      if (request.method !== 'POST') throw badRequest('Use POST.', 405, { allow: 'POST' })
      const { text, body, ...known } = await admit(request, this.#options)
      // Also a call of a tool that is not there, or with arguments that it does not take, which runs no operation.
      countRequest(known, this.#options)
      await this.#answer({ request, response, text, body }, known)
    } catch (error) {
      if (!(error instanceof GraphQLError) || response.headersSent) throw error
      refuse({ request, response }, error)
    }
  }

  async #answer(
    { request, response, text, body }: Come,
    { credential: { secret: token }, viewer }: IdentifiedCaller,
  ): Promise<void> {
    const { yoga, connections, clock, logger, metrics } = this.#options
    const requestId = String(response.getHeader(REQUEST_ID) ?? '')
    const trace = readTrace((name) => request.headers[name])
    const ofRequest = { requestId, logger: logger.child({ requestId }), trace }
    const caller = { viewer, transport: 'http', ...ofRequest } as const
    const left = new AbortController()
    response.once('close', () => left.abort())
    const operations = new Operations({ yoga, metrics, request, caller, isFirstCounted: true })
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

function headersOf({ headers }: IncomingMessage): Headers {
  const kept = Object.entries(headers).filter(([name]) => name === 'accept' || name.startsWith('mcp-'))
  return new Headers([...kept.map(([name, value]): [string, string] => [name, String(value)]), JSON_TYPE])
}

const JSON_TYPE: [string, string] = ['content-type', 'application/json']

/** Before the protocol has seen it, so without an id. What is left of a body is not read. */
function refuse({ request, response }: Pick<Come, 'request' | 'response'>, error: GraphQLError): void {
  const { status, headers, code } = httpOf(error)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (!request.complete) response.setHeader('connection', 'close')
  sendJson(response, status, {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message: error.message, data: { code } },
  })
}
