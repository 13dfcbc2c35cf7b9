/**
 * GraphQL over WebSocket (`graphql-transport-ws`): the protocol is graphql-ws's, what an operation may do is said by
 * the plugins of yoga.ts, and what is hardened is here: who may connect, how large a message may be, how much may run
 * on one socket.
 *
 * Close codes beyond the protocol's own: 4413 SLOW_CONSUMER (resume with `after`), 4205 RIGHTS_CHANGED (connect again),
 * 4503 TOO_MANY_CONNECTIONS (of this user), 4401 for a token that is missing, unknown or removed later, 1001 when the
 * server goes away. Clients of graphql-ws reconnect by themselves after all of these but 4401.
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { GraphQLError, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { CloseCode, handleProtocols, makeServer, type Context, type SubscribePayload } from 'graphql-ws'
import { WebSocketServer, type WebSocket } from 'ws'
import { randomHex } from '../../platform/random.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Credential } from '../../core/identity.ts'
import { bearerToken, UNKNOWN_TOKEN } from '../http/bearer-token.ts'
import type { CredentialOf } from '../login/credential.ts'
import type { Caller, LogChannel } from '../operation/caller.ts'
import { maskError } from '../operation/mask-error.ts'
import type { PersistedQueries } from '../operation/persisted-queries.ts'
import type { DoorYoga } from '../yoga.ts'
import type { Authenticate, Connections } from './connections.ts'
import { SocketClient } from './socket-client.ts'
import { SocketOperation } from './socket-operation.ts'
import { MAX_BUFFERED_BYTES } from '../live/subscriber.ts'

/** Sockets open at the same time. */
export const MAX_SOCKETS = 10_000
/** Not 4429, with which clients of graphql-ws do not come back. */
const TOO_MANY_CONNECTIONS = 4503
const SOCKET_LIMITS = {
  messageBytes: 64 * 1024,
  operations: 100,
  operationIdLength: 128,
  initMs: 3000,
} as const

export interface WebSocketsOptions {
  readonly yoga: DoorYoga
  readonly persistedQueries: PersistedQueries
  readonly connections: Connections
  readonly authenticate: Authenticate
  readonly credentialOf: CredentialOf
  readonly isOriginAllowed: (request: IncomingMessage) => boolean
  readonly maxSockets: number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** What our callbacks know of a socket. */
interface Extra {
  readonly client: SocketClient
}

type Enveloped = ReturnType<DoorYoga['getEnveloped']>

/** What `onSubscribe` hands to `execute` and `subscribe`: graphql-ws passes its return value through. */
interface SocketArgs extends ExecutionArgs {
  readonly enveloped: Enveloped
}

type SocketContext = Context<Record<string, unknown>, Extra>

export class WebSockets {
  readonly #options: WebSocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: SOCKET_LIMITS.messageBytes,
    // Would cost memory and time per socket, and we write frames of our own between its frames.
    perMessageDeflate: false,
    handleProtocols,
  })
  /** With what resolves when all its operations have ended after its close. */
  readonly #clients = new Map<SocketClient, Promise<void>>()
  readonly #protocol: ReturnType<typeof makeServer<Record<string, unknown>, Extra>>

  constructor(options: WebSocketsOptions) {
    this.#options = options
    this.#protocol = makeServer<Record<string, unknown>, Extra>({
      connectionInitWaitTimeout: SOCKET_LIMITS.initMs,
      onConnect: (context) => this.#connect(context),
      onSubscribe: (context, id, payload) => this.#admit(context, id, payload),
      execute: (args) => (args as SocketArgs).enveloped.execute(args) as Promise<ExecutionResult>,
      subscribe: (args) => (args as SocketArgs).enveloped.subscribe(args) as Promise<AsyncGenerator<ExecutionResult>>,
      // graphql-ws wraps what an iterator throws, and would lose its code.
      onError: (...[context, , , errors]) => errors.map((error) => this.#unwrap(context, error).toJSON()),
    })
  }

  /** A client asks to speak WebSocket; called by node:http. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: number): void => {
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }
    if (!this.#options.isOriginAllowed(request)) return refuse(403)
    if (this.#clients.size >= this.#options.maxSockets) return refuse(503)
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket, socket, request))
  }

  /** Does not wait for the other sides any longer. */
  terminate(): void {
    for (const client of this.#clients.keys()) client.terminate()
  }

  /** Resolves when all sockets are closed and what ran on them has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#clients.values())
  }

  #open(webSocket: WebSocket, socket: Duplex, { headers, url }: IncomingMessage): void {
    const { logger, metrics, connections } = this.#options
    const requestId = `ws-${randomHex(8)}`
    const request = { headers, url: url ?? '/' }
    const client = new SocketClient({
      webSocket,
      socket,
      request,
      requestId,
      metrics,
      logger: logger.child({ requestId }),
    })
    const removed = connections.add(client)
    const closed = this.#protocol.opened(
      {
        protocol: webSocket.protocol,
        send: (data) => client.send(data),
        close: (code, reason) => webSocket.close(code, reason),
        onMessage: (handle) => client.onMessage(handle),
        onPing: (payload) => client.pong(payload),
      },
      { client },
    )
    const gone = new Promise<void>((resolve) => {
      webSocket.once('close', (code, reason) => {
        removed()
        resolve(closed(code, String(reason)))
      })
    })
    const settled = gone
      .catch((error: unknown) =>
        client.logger.error({ err: error }, 'clean-up of a closed WebSocket failed; it counts as closed'),
      )
      .finally(() => this.#clients.delete(client))
    this.#clients.set(client, settled)
  }

  /**
   * `connection_init` brings the token, which never stands in a URL. A page of this server brings none: then it is the
   * login with whose cookie the socket was asked for.
   */
  #connect({ connectionParams, extra: { client } }: SocketContext): boolean {
    const token = tokenOf(connectionParams)
    const credential: Credential | null =
      token === null ? this.#options.credentialOf(client.request) : { kind: 'TOKEN', secret: token }
    if (credential === null) {
      client.close(CloseCode.Unauthorized, 'UNAUTHENTICATED: Pass connectionParams {Authorization: "Bearer <token>"}.')
      return false
    }
    const viewer = this.#options.authenticate(credential)
    if (viewer === null) {
      const what = credential.kind === 'TOKEN' ? UNKNOWN_TOKEN : 'Log in again.'
      client.close(CloseCode.Unauthorized, `UNAUTHENTICATED: ${what}`)
      return false
    }
    const refusal = this.#options.connections.refusal(viewer)
    if (refusal !== null) {
      client.close(TOO_MANY_CONNECTIONS, `TOO_MANY_CONNECTIONS: ${refusal}`)
      return false
    }
    client.identify(credential, viewer)
    this.#options.connections.identified(client)
    return true
  }

  /** Every operation passes the same plugins as over HTTP. */
  async #admit(context: SocketContext, id: string, payload: SubscribePayload): Promise<SocketArgs | GraphQLError[]> {
    const { client } = context.extra
    const caller = client.caller()
    // Results wait for slow readers one by one; what is asked for meanwhile must not pile up either.
    if (caller === null || client.bufferedBytes > MAX_BUFFERED_BYTES) {
      client.cut()
      return [limitExceeded('The connection was too slow to keep up.')]
    }
    if (id.length > SOCKET_LIMITS.operationIdLength) {
      client.close(CloseCode.BadRequest, 'An operation id is too long')
      return [limitExceeded(`An operation's id has at most ${SOCKET_LIMITS.operationIdLength} characters.`)]
    }
    if (Object.keys(context.subscriptions).length > SOCKET_LIMITS.operations) {
      return [limitExceeded(`At most ${SOCKET_LIMITS.operations} operations run on one socket; complete some first.`)]
    }
    return this.#prepare({ client, caller, id }, payload)
  }

  async #prepare(
    { client, caller, id }: { client: SocketClient; caller: Caller; id: string },
    { query: text, operationName, variables, extensions }: SubscribePayload,
  ): Promise<SocketArgs | GraphQLError[]> {
    const params = this.#options.persistedQueries.resolve({
      query: text,
      ...(operationName != null && operationName !== '' && { operationName }),
      variables: variables ?? {},
      extensions: extensions ?? {},
    })
    const { socket, request: req } = client
    const cut = (): void => client.cut()
    const openLogChannel = (): LogChannel => new SocketOperation({ socket, id, cut, isOpen: () => client.isOpen })
    try {
      const enveloped = this.#options.yoga.getEnveloped({ req, socket, params, caller, openLogChannel })
      const document: DocumentNode = enveloped.parse(params.query ?? '')
      const problems: readonly GraphQLError[] = enveloped.validate(enveloped.schema, document)
      if (problems.length > 0) return problems.map((problem) => this.#shown(client, problem))
      const contextValue: unknown = await enveloped.contextFactory()
      const { schema } = enveloped
      return { schema, document, operationName, variableValues: params.variables ?? {}, contextValue, enveloped }
    } catch (error) {
      return [this.#shown(client, error)]
    }
  }

  /** As it may be seen, and without what yoga has put into it for HTTP. */
  #shown({ logger }: SocketClient, thrown: unknown): GraphQLError {
    const error = maskError(thrown, { logger, metrics: this.#options.metrics })
    delete error.extensions['http']
    return error
  }

  #unwrap({ extra: { client } }: SocketContext, error: GraphQLError): GraphQLError {
    return this.#shown(client, error.cause instanceof GraphQLError ? error.cause : error)
  }
}

/** Libraries differ in where they put it. */
function tokenOf(connectionParams: Readonly<Record<string, unknown>> = {}): string | null {
  const { headers, token, Authorization, authorization } = connectionParams
  const inHeaders = isRecord(headers) ? (headers['Authorization'] ?? headers['authorization']) : undefined
  const value = Authorization ?? authorization ?? inHeaders
  return value === undefined && typeof token === 'string' ? bareToken(token) : bearerToken(value)
}

/** With or without the scheme. */
function bareToken(token: string): string | null {
  return bearerToken(token) ?? bearerToken(`Bearer ${token}`)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function limitExceeded(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } })
}
