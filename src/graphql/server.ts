/**
 * The door: one port for GraphQL over HTTP, server-sent events and WebSocket, and for the probes. Everything between
 * the network and the schema is put together here; `startServer` is all that the rest of the program sees of it.
 */
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { GraphQLError, type GraphQLSchema } from 'graphql'
import type { AccessDenials } from '../audit/access-denials.ts'
import { mayOpenSession } from '../config/access/session-access.ts'
import type { LiveConfig } from '../config/config.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Feed } from '../events/feed.ts'
import type { Uploads } from '../execution/workspace/uploads.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Logins } from '../people/logins.ts'
import type { Database } from '../store/database.ts'
import { Connections, type Authenticate } from './socket/connections.ts'
import { Hub } from './live/hub.ts'
import { ConsoleFiles } from './console/console-files.ts'
import { isProbe, parseUrl, routeOf, takesFiles } from './door-url.ts'
import { graphiqlRoute } from './http/graphiql-page.ts'
import { isKnownHost, unknownHost } from './http/known-host.ts'
import { listen } from './http/listen.ts'
import { maskError } from './operation/mask-error.ts'
import { MetricsListener } from './health/metrics-listener.ts'
import { Origins } from './http/origin.ts'
import { answerProbe, isAdmins, sendJson } from './health/probes.ts'
import { Admission } from './operation/admission.ts'
import { PersistedQueries } from './operation/persisted-queries.ts'
import { RateLimit } from './operation/rate-limit.ts'
import type { Readiness } from './health/readiness.ts'
import type { CreateContext } from './request-context.ts'
import { SAFE_HEADERS } from './http/safe-headers.ts'
import { readAudience } from './live/notify/session-audience.ts'
import { FileReceiver, UPLOAD_DEADLINE_MS, UPLOADS_PATH } from './files/receive-file.ts'
import { FILES_PATH, serveFile } from './files/serve-file.ts'
import { SESSIONS_PATH, SessionTransfers } from './files/session-transfer.ts'
import { credentialReader, type CredentialOf } from './login/credential.ts'
import { loginRoutes } from './login/login-routes.ts'
import { AGUI_PATH, AguiEndpoint } from './agui/agui-endpoint.ts'
import { MCP_PATH, McpEndpoint } from './mcp/mcp-endpoint.ts'
import { OPENAI_PATH, OpenAIEndpoint } from './openai/openai-endpoint.ts'
import { frontendRoutes } from './http/frontend-routes.ts'
import { REQUEST_ID, requestIdOf } from './plugins/http/use-request-id.ts'
import type { Exchange, PlainRoute } from './http/plain-route.ts'
import { createSessionNotifier, type SessionNotifier } from './live/notify/session-notifier.ts'
import { MAX_SOCKETS, WebSockets } from './socket/web-socket.ts'
import { createDoorYoga, GRAPHQL_PATH, type DoorYoga } from './yoga.ts'

/** What stays open longer after `stop()` is cut off. */
const STOP_GRACE_MS = 5000
const LAST_EVENTS_MS = 1000
/** For the body of a request that is no upload. */
const BODY_DEADLINE_MS = 30_000
/** node:http's own defaults let a slow client hold a connection for five minutes. */
const HTTP_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // Of uploads; other bodies have BODY_DEADLINE_MS.
  requestTimeout: UPLOAD_DEADLINE_MS,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
} as const
/** WebSockets and everything else; more are not accepted. */
const MAX_CONNECTIONS = MAX_SOCKETS + 2000
/** A connection over which nothing moves, in either direction. Event streams beat more often. */
const IDLE_MS = 35_000

export interface ServerOptions {
  readonly schema: GraphQLSchema
  /** FACTOTUM_HOME: published files lie there. */
  readonly home: string
  /** Where files go that people send. */
  readonly intake: IntakeContext
  readonly uploads: Uploads
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly authenticate: Authenticate
  /** Of pages that this server serves; null: nobody logs in. */
  readonly logins: Pick<Logins, 'logIn' | 'logOut' | 'recall'> | null
  /** Audits denied access: things that the caller may not see. */
  readonly denials: Pick<AccessDenials, 'absent' | 'forbidden'>
  readonly createContext: CreateContext
  readonly config: LiveConfig
  /** Outside of it, pages that this machine serves to itself may call us. */
  readonly production: boolean
  readonly feed: Feed
  readonly doorbell: Doorbell
  readonly database: Database
  readonly readiness: Readiness
  /** The GraphiQL page, or null. */
  readonly graphiqlPage: (() => Promise<string>) | null
  /** Users' own plugins of graphql-yoga. */
  readonly plugins: readonly object[]
  /** WebSockets open at the same time; MAX_SOCKETS unless given. */
  readonly maxSockets?: number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Where operators ask for figures; null: nowhere of its own. */
  readonly metricsUrl: string | null
  /**
   * Takes no more connections, ends streaming ones so that clients come back elsewhere, lets requests finish for 5 s.
   */
  stop(): Promise<void>
}

/** Rejects when the address cannot be listened on. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const door = new Door(options)
  await door.start()
  const { port } = door.address
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}`, port, metricsUrl: door.metricsUrl, stop: () => door.stop() }
}

class Door {
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #hub: Hub
  readonly #rateLimit: RateLimit
  readonly #sessionNotifier: SessionNotifier
  readonly #connections: Connections
  readonly #webSockets: WebSockets
  /** Connections that nothing was asked on yet. Browsers open some in advance; Node does not count them as idle. */
  readonly #unused = new Set<Duplex>()
  readonly #origins: Origins
  readonly #console: ConsoleFiles
  readonly #credentialOf: CredentialOf
  readonly #yoga: DoorYoga
  /** The first whose path begins the request's answers it. */
  readonly #routes: readonly PlainRoute[]
  /** For operators, on an address of their own, if there is one. */
  readonly #metricsListener: MetricsListener | null

  constructor(options: ServerOptions) {
    const { database, doorbell, config, clock, logger, metrics, authenticate } = options
    this.#options = options
    this.#sessionNotifier = createSessionNotifier({
      doorbell,
      readAudience: (sessionId) => readAudience(database, sessionId),
      clock,
      logger,
    })
    this.#hub = createHub(options, this.#sessionNotifier)
    this.#connections = new Connections({ authenticate, config, clock, logger, metrics })
    const perMinute = (): number => config.current().settings.requestsPerMinute
    this.#rateLimit = new RateLimit({ clock, perMinute, doorbell })
    const persistedQueries = new PersistedQueries()
    const admission = new Admission(clock)
    this.#origins = new Origins(options)
    this.#credentialOf = credentialReader(config)
    this.#yoga = createDoorYoga({
      ...options,
      isKnownHost: (host) => this.#isKnownHost(host),
      origins: this.#origins,
      sessionNotifier: this.#sessionNotifier,
      hub: this.#hub,
      connections: this.#connections,
      rateLimit: this.#rateLimit,
      admission,
      persistedQueries,
    })
    this.#console = new ConsoleFiles(config)
    this.#routes = this.#plainRoutes(admission)
    const maxSockets = options.maxSockets ?? MAX_SOCKETS
    this.#webSockets = new WebSockets({
      yoga: this.#yoga,
      persistedQueries,
      connections: this.#connections,
      authenticate,
      credentialOf: this.#credentialOf,
      isOriginAllowed: ({ headers: { origin, host } }) => this.#origins.isAllowed(origin, host),
      maxSockets,
      logger,
      metrics,
    })
    const metricsListen = config.current().settings.metricsListen
    this.#metricsListener = metricsListen === null ? null : new MetricsListener({ ...options, ...metricsListen })
    this.#server = createServer(HTTP_LIMITS, (request, response) => void this.#handle(request, response))
    this.#server.timeout = IDLE_MS
    this.#server.maxConnections = MAX_CONNECTIONS
    this.#server.on('connection', (socket) => {
      this.#unused.add(socket)
      socket.once('close', () => this.#unused.delete(socket))
    })
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  get metricsUrl(): string | null {
    return this.#metricsListener?.url ?? null
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  async start(): Promise<void> {
    const { host, port } = this.#options
    await this.#metricsListener?.start()
    try {
      await listen(this.#server, { host, port })
    } catch (error) {
      await this.#metricsListener?.stop()
      throw error
    }
    this.#sessionNotifier.start()
    this.#connections.start()
    this.#rateLimit.start()
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    // How the last turns ended is still on its way to those who watch.
    await Promise.race([this.#hub.settled(), this.#options.clock.sleep(LAST_EVENTS_MS)])
    await this.#connections.stop()
    this.#server.closeIdleConnections()
    for (const socket of this.#unused) socket.destroy()
    await this.#sessionNotifier.stop()
    await this.#hub.stop()
    this.#rateLimit.stop()
    const cancelCut = this.#options.clock.after(STOP_GRACE_MS, () => {
      this.#options.logger.warn('clients did not leave in time: their connections are cut')
      this.#webSockets.terminate()
      this.#server.closeAllConnections()
    })
    await closed
    await this.#webSockets.settled()
    // Last: how the server leaves is what operators want to see.
    await this.#metricsListener?.stop()
    cancelCut()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#unused.delete(request.socket)
    const { metrics } = this.#options
    const url = parseUrl(request.url)
    const route = routeOf(url)
    response.once('close', () => metrics.httpRequests.inc({ route, status: response.statusCode }))
    if (!takesFiles(url, request.method)) this.#limitBody(request, response)
    await this.#recallLogin(request)
    if (route === GRAPHQL_PATH) return this.#yoga(request, response)
    const requestId = requestIdOf(request.headers[REQUEST_ID])
    response.setHeader(REQUEST_ID, requestId)
    for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value)
    try {
      if (url === null) sendJson(response, 400, { error: 'The URL is not valid.' })
      else await this.#answer({ request, response, url }, route)
    } catch (error) {
      const masked = maskError(error, { logger: this.#options.logger.child({ requestId }), metrics })
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { errors: [masked] })
    }
  }

  /** All that is no GraphQL. */
  async #answer(exchange: Exchange, route: string): Promise<void> {
    const { request, response, url } = exchange
    const { authenticate } = this.#options
    if (!isProbe(route) && !this.#isKnownHost(request.headers.host)) return refuseHost(response, request)
    const plain = this.#routes.find(({ path }) => url.pathname.startsWith(path))
    if (plain !== undefined) return this.#answerPlain(plain, exchange)
    const isOperator = (): boolean => isAdmins(request, { authenticate, credentialOf: this.#credentialOf })
    if (await answerProbe({ path: url.pathname, response, isOperator }, this.#options)) return
    if (await this.#console.answerPage(exchange)) return
    if (url.pathname === '/' && this.#showsGraphiql)
      return void response.writeHead(302, { location: GRAPHQL_PATH }).end()
    sendJson(response, 404, {
      error: 'Nothing here. GraphQL is at /graphql; /health, /ready and /metrics tell how we are.',
    })
  }

  /** Pages of listed origins may ask, with any header. */
  async #answerPlain(route: PlainRoute, exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    const { origin = null, host = null, 'access-control-request-headers': headers = '' } = request.headers
    if (origin !== null && this.#origins.corsFor(origin, host) !== false) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('vary', 'origin')
      if (request.method === 'OPTIONS') {
        const allowed = { 'access-control-allow-methods': route.methods, 'access-control-allow-headers': headers }
        return void response.writeHead(204, { ...allowed, 'access-control-max-age': '7200' }).end()
      }
    }
    return route.answer(exchange)
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#unused.delete(socket)
    // Until ws takes over, the socket has no other error handler; an error means that the peer has left.
    socket.on('error', () => socket.destroy())
    if (!this.#isKnownHost(request.headers.host)) socket.end(bareAnswer(421))
    else if (routeOf(parseUrl(request.url)) === GRAPHQL_PATH)
      void this.#recallLogin(request).then(() => this.#webSockets.upgrade(request, socket, head))
    else socket.end(bareAnswer(404))
  }

  /** A login that another process has begun a moment ago is no stranger's. Never rejects. */
  async #recallLogin(request: IncomingMessage): Promise<void> {
    const credential = request.headers.cookie === undefined ? null : this.#credentialOf(request)
    if (credential?.kind === 'LOGIN') await this.#options.logins?.recall(credential)
  }

  #plainRoutes(admission: Admission): readonly PlainRoute[] {
    const options = this.#options
    const { schema, config, logins } = options
    const takeRate = (tokenName: string): number => this.#rateLimit.take(tokenName)
    const credentialOf = this.#credentialOf
    const files = new FileReceiver({ ...options, credentialOf, takeRate })
    const transfers = new SessionTransfers({ ...options, credentialOf, takeRate })
    const yoga = this.#yoga
    const spoken = { ...options, yoga, connections: this.#connections, admission, takeRate }
    const mcp = new McpEndpoint(spoken)
    const openai = new OpenAIEndpoint(spoken)
    const agui = new AguiEndpoint(spoken)
    return [
      { path: FILES_PATH, methods: 'GET, HEAD', answer: (exchange) => serveFile(options, exchange) },
      ...frontendRoutes(schema, config),
      graphiqlRoute(config),
      this.#console.route,
      { path: UPLOADS_PATH, methods: 'PUT', answer: (exchange) => files.handle(exchange) },
      { path: SESSIONS_PATH, methods: 'GET, POST', answer: (exchange) => transfers.handle(exchange) },
      ...(logins === null ? [] : loginRoutes({ ...options, logins, credentialOf })),
      { path: MCP_PATH, methods: 'POST', answer: (exchange) => mcp.handle(exchange) },
      { path: AGUI_PATH, methods: 'POST', answer: (exchange) => agui.handle(exchange) },
      { path: OPENAI_PATH, methods: 'GET, POST', answer: (exchange) => openai.handle(exchange) },
    ]
  }

  get #showsGraphiql(): boolean {
    const { graphiqlPage, config } = this.#options
    return graphiqlPage !== null && config.current().settings.graphiql
  }

  /** A body that does not come in time is not waited for. */
  #limitBody(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && encoding === undefined) return
    const cancel = this.#options.clock.after(BODY_DEADLINE_MS, () => {
      if (!request.complete) cutOff(request, response)
    })
    request.once('close', cancel)
  }

  #isKnownHost(host: string | undefined): boolean {
    const { publicUrl, allowedHosts } = this.#options.config.current().settings
    return isKnownHost(host, { listening: this.#options.host, publicUrl, allowedHosts })
  }
}

function refuseHost(response: ServerResponse, { headers: { host = '' } }: IncomingMessage): void {
  const error = new GraphQLError(unknownHost(host), { extensions: { code: 'MISDIRECTED_REQUEST' } })
  response.setHeader('connection', 'close')
  sendJson(response, 421, { errors: [error] })
}

/** With 408 where an answer can still be given: none has begun, and none before it is still being sent. */
function cutOff(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = response
  if (socket === null || response.headersSent) return void request.destroy()
  // For the figures.
  response.statusCode = 408
  socket.write(bareAnswer(408))
  socket.destroySoon()
}

/** To who wants to speak WebSocket and may not, or does not say all that it announced. */
function bareAnswer(status: 404 | 408 | 421): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

function createHub(options: ServerOptions, sessionNotifier: SessionNotifier): Hub {
  const { database, feed, config, createContext, clock, logger, metrics } = options
  return new Hub({
    feed,
    readAudience: (sessionId) => readAudience(database, sessionId),
    mayOpen: (viewer, sessionId) => mayOpenSession(config.current(), viewer, sessionId),
    createContext: (viewer, grantedSessionId) =>
      createContext({
        viewer,
        requestId: 'shared',
        trace: null,
        logger,
        grantedSessionId,
        answer: null,
        sessionNotifier,
      }),
    maxResponseBytes: () => config.current().settings.maxResponseBytes,
    clock,
    logger,
    metrics,
  })
}
