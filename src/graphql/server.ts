/**
 * The door: one port for GraphQL over HTTP, server-sent events and WebSocket, and for the probes. Everything between
 * the network and the schema is put together here; `startServer` is all that the rest of the program sees of it.
 */
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { GraphQLError } from 'graphql'
import { mayOpenSession } from '../config/access/session-access.ts'
import { Connections } from './socket/connections.ts'
import { Hub } from './live/hub.ts'
import { ConsoleFiles } from './console/console-files.ts'
import { isProbe, parseUrl, routeOf, takesFiles } from './door-url.ts'
import { isKnownHost, nameOf, unknownHost } from './http/known-host.ts'
import { listen } from './http/listen.ts'
import { maskError } from './operation/mask-error.ts'
import { MetricsListener } from './health/metrics-listener.ts'
import { EXPOSED_HEADERS, Origins } from './http/origin.ts'
import { RefusalLog } from './http/refusal-log.ts'
import { answerProbe, isAdmins, sendJson } from './health/probes.ts'
import { Admission } from './operation/admission.ts'
import { PersistedQueries } from './operation/persisted-queries.ts'
import { RateLimit } from './operation/rate-limit.ts'
import { SAFE_HEADERS } from './http/safe-headers.ts'
import { readAudience } from './live/notify/session-audience.ts'
import { UPLOAD_DEADLINE_MS } from './files/receive-file.ts'
import { credentialReader, type CredentialOf } from './login/credential.ts'
import { REQUEST_ID, requestIdOf } from './plugins/http/use-request-id.ts'
import type { Exchange, PlainRoute } from './http/plain-route.ts'
import { createSessionNotifier, type SessionNotifier } from './live/notify/session-notifier.ts'
import { MAX_SOCKETS, WebSockets } from './socket/web-socket.ts'
import { createDoorYoga, GRAPHQL_PATH, type DoorYoga, type YogaOptions } from './yoga.ts'
import { SESSION_HEADER } from './protocols/own-session.ts'
import { plainRoutes } from './plain-routes.ts'
import type { ServerOptions } from './server-options.ts'
import { hostInUrl } from '../platform/host-in-url.ts'

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
  // Longer than the minute after which nginx and cloud load balancers close theirs, and kept for a while beyond what
  // clients hear of it: a request that meets the close is lost, and its client cannot know whether it was taken.
  keepAliveTimeout: 75_000,
  keepAliveTimeoutBuffer: 10_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
} as const
/** WebSockets and everything else; more are not accepted. */
const MAX_CONNECTIONS = MAX_SOCKETS + 2000
/** A connection over which nothing moves, in either direction. Event streams beat more often. */
const IDLE_MS = 35_000

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
  const host = hostInUrl(options.host)
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
  readonly #unknownHosts: RefusalLog
  readonly #console: ConsoleFiles
  readonly #credentialOf: CredentialOf
  readonly #yoga: DoorYoga
  /** The first whose path begins the request's answers it. */
  readonly #routes: readonly PlainRoute[]
  /** For operators, on an address of their own, if there is one. */
  readonly #metricsListener: MetricsListener | null

  constructor(options: ServerOptions) {
    const { database, doorbell, config, clock, logger, metrics, authenticate, readiness } = options
    this.#options = options
    const audienceOf = (sessionId: string): ReturnType<typeof readAudience> => readAudience(database, sessionId)
    this.#sessionNotifier = createSessionNotifier({ doorbell, readAudience: audienceOf, clock, logger })
    this.#hub = createHub(options, this.#sessionNotifier)
    this.#connections = new Connections({ authenticate, config, clock, logger, metrics })
    const perMinute = (): number => config.current().settings.requestsPerMinute
    this.#rateLimit = new RateLimit({ clock, perMinute, doorbell, logger })
    const persistedQueries = new PersistedQueries()
    const admission = new Admission(clock)
    this.#origins = new Origins({ config, production: options.production, clock, logger })
    this.#unknownHosts = logOfUnknownHosts(options)
    this.#credentialOf = credentialReader(config)
    this.#yoga = openYoga(options, {
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
    this.#routes = plainRoutes({
      options,
      credentialOf: this.#credentialOf,
      takeRate: (tokenName) => this.#rateLimit.take(tokenName),
      yoga: this.#yoga,
      connections: this.#connections,
      admission,
      console: this.#console,
    })
    this.#webSockets = new WebSockets({
      yoga: this.#yoga,
      persistedQueries,
      connections: this.#connections,
      authenticate,
      credentialOf: this.#credentialOf,
      isOriginAllowed: ({ headers: { origin, host } }) => this.#origins.isAllowed(origin, host),
      maxSockets: options.maxSockets ?? MAX_SOCKETS,
      logger,
      metrics,
    })
    const metricsListen = config.current().settings.metricsListen
    const shown = { readiness, config, clock, logger, metrics }
    this.#metricsListener = metricsListen === null ? null : new MetricsListener({ ...metricsListen, ...shown })
    this.#server = createServer(HTTP_LIMITS, (request, response) => void this.#handle(request, response))
    this.#server.timeout = options.idleMs ?? IDLE_MS
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
      error:
        "Nothing here. GraphQL is at /graphql, OpenAI's API below /v1, AG-UI at /agui, the Model Context Protocol at " +
        '/mcp; /health, /ready and /metrics tell how we are.',
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
      response.setHeader('access-control-expose-headers', [...EXPOSED_HEADERS, SESSION_HEADER].join(', '))
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
    const isKnown = isKnownHost(host, { listening: this.#options.host, publicUrl, allowedHosts })
    const name = isKnown ? null : nameOf(host ?? '')
    if (name !== null) this.#unknownHosts.refused(name)
    return isKnown
  }
}

function logOfUnknownHosts({ clock, logger }: Pick<ServerOptions, 'clock' | 'logger'>): RefusalLog {
  return new RefusalLog(clock, (host) =>
    logger.warn(
      { host },
      `a request for an unknown name was refused; if people reach the server under it, add ${JSON.stringify(host)} to allowed_hosts under [settings] in config.toml`,
    ),
  )
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

type Opened = Pick<
  YogaOptions,
  'isKnownHost' | 'origins' | 'sessionNotifier' | 'hub' | 'connections' | 'rateLimit' | 'admission' | 'persistedQueries'
>

function openYoga(options: ServerOptions, opened: Opened): DoorYoga {
  const { schema, authenticate, createContext, denials, plugins, graphiqlPage, config, clock, logger, metrics } =
    options
  const { isKnownHost, origins, sessionNotifier, hub, connections, rateLimit, admission, persistedQueries } = opened
  return createDoorYoga({
    schema,
    authenticate,
    isKnownHost,
    origins,
    createContext,
    sessionNotifier,
    hub,
    connections,
    denials,
    rateLimit,
    admission,
    persistedQueries,
    plugins,
    graphiqlPage,
    config,
    clock,
    logger,
    metrics,
  })
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
