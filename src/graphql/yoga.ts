/**
 * GraphQL as graphql-yoga serves it, with the rules of this server as its plugins: who may ask, how often, how much,
 * and what is recorded. The same plugins stand before WebSockets (socket/web-socket.ts uses `getEnveloped`). It can be
 * mounted in any server that yoga can be mounted in; server.ts is ours.
 */
import { type GraphQLSchema, execute, GraphQLError } from 'graphql'
import { createYoga, type YogaServerInstance } from 'graphql-yoga'
import type { AccessDenials } from '../audit/access-denials.ts'
import type { LiveConfig } from '../config/config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { must } from '../platform/must.ts'
import type { Origins } from './http/origin.ts'
import type { Hub } from './live/hub.ts'
import { credentialReader } from './login/credential.ts'
import type { SessionNotifier } from './live/notify/session-notifier.ts'
import type { Admission } from './operation/admission.ts'
import type { DoorPlugin, HttpContext, OperationContext } from './operation/caller.ts'
import { maskError } from './operation/mask-error.ts'
import { EXECUTION_OPTIONS } from './operation/operation-limits.ts'
import type { PersistedQueries } from './operation/persisted-queries.ts'
import type { RateLimit } from './operation/rate-limit.ts'
import { useEventStream } from './plugins/http/use-event-stream.ts'
import { GraphiqlPage, useGraphiql } from './plugins/http/use-graphiql.ts'
import { useHttpStatus } from './plugins/http/use-http-status.ts'
import { useRequestForm } from './plugins/http/use-request-form.ts'
import { useRequestId } from './plugins/http/use-request-id.ts'
import { useAdmission } from './plugins/use-admission.ts'
import { useDocuments } from './plugins/use-documents.ts'
import { useFigures, useLogLine } from './plugins/use-log-line.ts'
import { useLimits } from './plugins/use-limits.ts'
import { useMaskedResults } from './plugins/use-masked-results.ts'
import { usePersistedQueries } from './plugins/use-persisted-queries.ts'
import { useSubscriptions } from './plugins/use-subscriptions.ts'
import { useToken } from './plugins/use-token.ts'
import type { CreateContext } from './request-context.ts'
import type { Authenticate, Connections } from './socket/connections.ts'
import { withinBudget } from './operation/within-budget.ts'
import { SAFE_HEADERS } from './http/safe-headers.ts'
import { unknownHost } from './http/known-host.ts'
import { jsonResponse } from './http/json-response.ts'

export const GRAPHQL_PATH = '/graphql'

export interface YogaOptions {
  readonly schema: GraphQLSchema
  readonly authenticate: Authenticate
  readonly isKnownHost: IsKnownHost
  readonly origins: Origins
  readonly createContext: CreateContext
  readonly sessionNotifier: SessionNotifier
  readonly hub: Hub
  readonly connections: Connections
  readonly denials: Pick<AccessDenials, 'absent'>
  readonly rateLimit: Pick<RateLimit, 'take' | 'takeCost' | 'spend'>
  readonly admission: Admission
  readonly persistedQueries: PersistedQueries
  /** Users' own plugins. They come after the rules of the server. */
  readonly plugins: readonly object[]
  /** The GraphiQL page, or null. */
  readonly graphiqlPage: (() => Promise<string>) | null
  readonly config: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export type DoorYoga = YogaServerInstance<HttpContext, OperationContext>

export function createDoorYoga(options: YogaOptions): DoorYoga {
  const { schema, config, logger, metrics, isKnownHost } = options
  const page = options.graphiqlPage === null ? null : new GraphiqlPage(options.graphiqlPage)
  return createYoga<HttpContext, OperationContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    plugins: [
      ...rulesOfHttp(options),
      useGraphiql(page, config),
      ...rulesOfOperations(options),
      ...options.plugins,
      useDocuments(config),
    ],
    cors: ({ headers }) => options.origins.corsFor(headers.get('origin'), headers.get('host')),
    graphiql: ({ headers }) =>
      page !== null && config.current().settings.graphiql && isKnownHost(headers.get('host') ?? undefined),
    renderGraphiQL: async () => (await page?.load())?.html ?? '',
    maskedErrors: { maskError: (error) => maskError(error, { logger, metrics }) },
    // Done by useRequestForm, which reads no body through a stream of its own.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    multipart: false,
    batching: false,
    landingPage: false,
    // What goes wrong is logged where it is masked.
    logging: false,
  })
}

function rulesOfHttp(options: YogaOptions): DoorPlugin[] {
  const { logger, isKnownHost } = options
  return [
    useRequestId(logger),
    useSafeHeaders(),
    useKnownHost(isKnownHost),
    useRequestForm(),
    useEventStream({ ...options, credentialOf: credentialReader(options.config) }),
    useHttpStatus(),
  ]
}

/** For every transport. What is asked of all operations comes before what only some reach. */
function rulesOfOperations(options: YogaOptions): DoorPlugin[] {
  const { schema, config, clock, metrics } = options
  return [
    useToken({ ...options, credentialOf: credentialReader(config) }),
    useRateLimit(options.rateLimit),
    usePersistedQueries(options.persistedQueries),
    useLimits(schema),
    useContext(options),
    useExecution(config),
    useSubscriptions(options),
    useAdmission(options.admission, metrics),
    useMaskedResults(options),
    useLogLine(clock),
    useFigures(clock, metrics),
  ]
}

interface ContextOptions {
  readonly createContext: CreateContext
  readonly sessionNotifier: SessionNotifier
}

/**
 * What resolvers find in their context (request-context.ts).
 */
function useContext({ createContext, sessionNotifier }: ContextOptions): DoorPlugin {
  return {
    onContextBuilding({ context: { caller }, extendContext }) {
      const { viewer, requestId, logger, trace } = caller
      const request = { viewer, requestId, logger, trace, grantedSessionId: null, answer: null }
      extendContext(createContext({ ...request, sessionNotifier }))
    },
  }
}

/**
 * Runs queries and mutations with graphql-js, each within a budget for its answer (answer-budget.ts).
 */
function useExecution(config: LiveConfig): DoorPlugin {
  return {
    onExecute({ setExecuteFn }) {
      const { introspection, maxResponseBytes } = config.current().settings
      setExecuteFn((args) =>
        withinBudget(maxResponseBytes, (answer, abortSignal) => {
          args.contextValue.answer = answer
          return execute({ ...args, options: EXECUTION_OPTIONS, hideSuggestions: !introspection, abortSignal })
        }),
      )
    },
  }
}

/**
 * The headers of every answer that restrict browsers: not to keep it, to take it for nothing but its content type, and
 * which origin may read it.
 */
function useSafeHeaders(): DoorPlugin {
  return {
    onResponse({ response: { headers } }) {
      for (const [name, value] of SAFE_HEADERS) {
        if (headers.get(name)?.includes(value) !== true) headers.set(name, value)
      }
      if (headers.has('access-control-allow-origin')) headers.set('vary', 'Origin, Access-Control-Request-Headers')
    },
  }
}

type IsKnownHost = (host: string | undefined) => boolean

/**
 * Refuses requests for a name that is not this server's (known-host.ts).
 */
function useKnownHost(isKnown: IsKnownHost): DoorPlugin {
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      const host = request.headers.get('host')
      if (isKnown(host ?? undefined)) return
      const error = new GraphQLError(unknownHost(host ?? ''), { extensions: { code: 'MISDIRECTED_REQUEST' } })
      endResponse(jsonResponse(fetchAPI, { status: 421, errors: [error], headers: { connection: 'close' } }))
    },
  }
}

/**
 * Every operation counts against the rate of its token, before anything is parsed; what it costs does once that is
 * known, which is before it is validated (rate-limit.ts).
 */
function useRateLimit(rateLimit: YogaOptions['rateLimit']): DoorPlugin {
  return {
    onParse({ context: { caller } }) {
      const { viewer, isCounted = false, isUnderWay = false } = caller
      if (isUnderWay) return rateLimit.spend(viewer.tokenName, 1)
      const waitMs = isCounted ? 0 : rateLimit.take(viewer.tokenName)
      if (waitMs > 0) throw rateLimited(waitMs)
    },
    onValidate({ context: { caller, cost } }) {
      rateLimit.takeCost(caller.viewer.tokenName, must(cost, 'what is validated was measured'))
    },
  }
}

function rateLimited(retryAfterMs: number): GraphQLError {
  const message = `Too many operations with this token; try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfterMs } })
}
