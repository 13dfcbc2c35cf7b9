/** POST and GET /graphql: reads the request, runs it, answers as JSON or as server-sent events. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GraphQLError, type ExecutionResult } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { bearerToken } from './bearer-token.ts'
import type { Authenticate, Connections } from '../socket/connections.ts'
import { EventStream } from './event-stream.ts'
import { badRequest, HttpRefusal, readParams } from './http-request.ts'
import { EVENT_STREAM, HTML, negotiate, PLAIN_JSON, RESPONSE_JSON, type MediaType } from './media-type.ts'
import type { Admitted, Caller, Operations, Refused } from '../operation/operations.ts'
import { corsHeaders } from './origin.ts'
import { overloadedAnswer } from './overloaded.ts'
import { pagePolicy } from './page-policy.ts'

export interface HttpGraphQLOptions {
  readonly operations: Operations
  readonly connections: Connections
  readonly authenticate: Authenticate
  readonly config: LiveConfig
  readonly metrics: Metrics
  /** The GraphiQL page, or null where there is none. Served only while the configuration allows it. */
  readonly graphiqlPage: (() => Promise<string>) | null
}

export interface HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly requestId: string
  readonly logger: Logger
}

export class HttpGraphQL {
  readonly #options: HttpGraphQLOptions
  /** Made when it is first asked for: it is large, and so is what there is to hash. */
  #page: Promise<{ readonly html: string; readonly policy: string }> | null = null

  constructor(options: HttpGraphQLOptions) {
    this.#options = options
  }

  async handle(exchange: HttpExchange): Promise<void> {
    const { request, response, url } = exchange
    const { settings } = this.#options.config.current()
    for (const [name, value] of Object.entries(corsHeaders(request, settings.corsOrigins)))
      response.setHeader(name, value)
    const wanted = negotiate(request.headers.accept)
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: 'GET, POST, OPTIONS' }).end()
    if (wanted === HTML && request.method === 'GET' && !url.searchParams.has('query'))
      return this.#sendGraphiql(response)
    // Before anything is read: what is refused must cost next to nothing, or refusing alone would be too much.
    if (this.#options.operations.turnsAway(wanted === EVENT_STREAM ? 'sse' : 'http')) return turnAway(response)
    const outcome = await this.#answer(exchange, wanted)
    if (outcome instanceof HttpRefusal) refuse(response, wanted, outcome)
  }

  async #answer(exchange: HttpExchange, wanted: MediaType | null): Promise<HttpRefusal | null> {
    const { request, response, url, requestId, logger } = exchange
    const { method } = request
    if (method !== 'GET' && method !== 'POST') return badRequest('Use GET or POST.', 405, { allow: 'GET, POST' })
    const token = bearerToken(request.headers.authorization)
    if (token === null || this.#options.authenticate(token) === null) return unauthenticated(token !== null)
    if (wanted === null || wanted === HTML) {
      return badRequest(`Accept ${RESPONSE_JSON}, ${PLAIN_JSON} or ${EVENT_STREAM}.`, 406)
    }
    const params = await readParams(request, url)
    if (params instanceof HttpRefusal) return params
    // Once more: a body takes as long as its sender likes, and the token may be gone or have other rights by now.
    const viewer = this.#options.authenticate(token)
    if (viewer === null) return unauthenticated(true)
    const transport = wanted === EVENT_STREAM ? 'sse' : 'http'
    const caller: Caller = { viewer, requestId, logger, transport }
    const admitted = this.#options.operations.admit(params, caller)
    if (admitted.kind === 'refused') return refusal(admitted, wanted)
    if (method === 'GET' && admitted.type === 'mutation') {
      return badRequest('Mutations must be sent by POST.', 405, { allow: 'POST' })
    }
    if (wanted === EVENT_STREAM) return this.#stream({ admitted, caller, token, response })
    if (admitted.type === 'subscription') {
      return badRequest(`Subscriptions need "accept: ${EVENT_STREAM}", or a WebSocket.`, 406)
    }
    sendResult(response, wanted, await this.#options.operations.execute(admitted, caller))
    return null
  }

  /** Answers as an event stream: a subscription for as long as it runs, anything else with one result. */
  async #stream(streamed: {
    readonly admitted: Admitted
    readonly caller: Caller
    readonly token: string
    readonly response: ServerResponse
  }): Promise<null> {
    const { admitted, caller, token, response } = streamed
    const { operations, connections, metrics } = this.#options
    const onCut = (): void => {
      metrics.slowConsumers.inc({ transport: 'sse' })
      caller.logger.warn({ bufferedBytes: response.writableLength }, 'a slow consumer was cut')
    }
    const stream = new EventStream({ response, token, caller, onCut })
    const removed = connections.add(stream)
    try {
      if (admitted.log !== null) {
        const hold = await operations.follow(admitted.log, admitted, { caller, subscriber: stream })
        if ('errors' in hold) return await sendLast(stream, { errors: hold.errors })
        await stream.closed
        hold.close()
      } else if (admitted.type === 'subscription') {
        await this.#pipe(stream, await operations.subscribe(admitted, caller))
      } else {
        await sendLast(stream, await operations.execute(admitted, caller))
      }
      return null
    } finally {
      removed()
    }
  }

  async #pipe(
    stream: EventStream,
    results: AsyncGenerator<ExecutionResult, void, void> | ExecutionResult,
  ): Promise<void> {
    if (!(Symbol.asyncIterator in results)) return void (await sendLast(stream, results))
    const ended = stream.closed.then(() => results.return())
    try {
      for await (const result of results) await stream.next(result)
      stream.complete()
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      stream.fail(error)
    }
    await ended
  }

  async #sendGraphiql(response: ServerResponse): Promise<void> {
    const { graphiqlPage, config } = this.#options
    if (graphiqlPage === null || !config.current().settings.graphiql) {
      return refuse(response, RESPONSE_JSON, badRequest('GraphiQL is switched off ("settings.graphiql").', 404))
    }
    this.#page ??= graphiqlPage().then((html) => ({ html, policy: pagePolicy(html) }))
    const { html, policy } = await this.#page
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      })
      .end(html)
  }
}

async function sendLast(stream: EventStream, result: ExecutionResult): Promise<null> {
  await stream.next(result)
  stream.complete()
  return null
}

function unauthenticated(isKnownForm: boolean): HttpRefusal {
  const message = isKnownForm ? 'The token is unknown.' : 'Send a token: "Authorization: Bearer <token>".'
  const error = new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } })
  return new HttpRefusal(401, [error], { 'www-authenticate': 'Bearer' })
}

/** An operation that may not run. Plain JSON means a client of before the status codes: it expects 200. */
function refusal({ errors }: Refused, wanted: MediaType): HttpRefusal {
  const retryAfterMs = errors[0]?.extensions['retryAfterMs']
  if (typeof retryAfterMs === 'number') {
    return new HttpRefusal(429, errors, { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) })
  }
  return new HttpRefusal(wanted === PLAIN_JSON ? 200 : 400, errors)
}

function turnAway(response: ServerResponse): void {
  const error = overloadedAnswer()
  const body = JSON.stringify({ errors: [error] })
  response
    .writeHead(503, {
      'content-type': `${RESPONSE_JSON}; charset=utf-8`,
      'content-length': Buffer.byteLength(body),
      'retry-after': String(Math.ceil(error.extensions.retryAfterMs / 1000)),
    })
    .end(body)
}

function sendResult(response: ServerResponse, wanted: MediaType, result: ExecutionResult): void {
  const { code, retryAfterMs } = result.errors?.[0]?.extensions ?? {}
  if (code === 'OVERLOADED') {
    response.setHeader('retry-after', String(Math.ceil(Number(retryAfterMs) / 1000)))
    return send(response, { status: 503, type: wanted, body: result })
  }
  const isRequestError = result.data === undefined
  send(response, { status: isRequestError && wanted === RESPONSE_JSON ? 400 : 200, type: wanted, body: result })
}

function refuse(response: ServerResponse, wanted: MediaType | null, { status, errors, headers }: HttpRefusal): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  send(response, { status, type: wanted === PLAIN_JSON ? PLAIN_JSON : RESPONSE_JSON, body: { errors } })
}

function send(response: ServerResponse, answer: { status: number; type: MediaType; body: ExecutionResult }): void {
  const body = Buffer.from(JSON.stringify(answer.body))
  response
    .writeHead(answer.status, { 'content-type': `${answer.type}; charset=utf-8`, 'content-length': body.length })
    .end(body)
}
