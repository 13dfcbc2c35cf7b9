/**
 * GraphQL as graphql-yoga serves it, with the rules of this server as its plugins: who may ask, how often, how much,
 * and what is recorded. The same plugins stand before WebSockets (socket/web-socket.ts uses `getEnveloped`). It can be
 * mounted in any server that yoga can be mounted in; server.ts is ours.
 */
import type { GraphQLSchema } from 'graphql'
import { createYoga, type YogaServerInstance } from 'graphql-yoga'
import type { AccessDenials } from '../audit/access-denials.ts'
import type { LiveConfig } from '../config/config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Origins } from './http/origin.ts'
import type { Hub } from './live/hub.ts'
import { credentialReader } from './login/credential.ts'
import type { SessionNotifier } from './live/notify/session-notifier.ts'
import type { Admission } from './operation/admission.ts'
import type { DoorPlugin, HttpContext, OperationContext } from './operation/caller.ts'
import { maskError } from './operation/mask-error.ts'
import type { PersistedQueries } from './operation/persisted-queries.ts'
import type { RateLimit } from './operation/rate-limit.ts'
import { useEventStream } from './plugins/http/use-event-stream.ts'
import { GraphiqlPage, useGraphiql } from './plugins/http/use-graphiql.ts'
import { useHttpStatus } from './plugins/http/use-http-status.ts'
import { useKnownHost, type IsKnownHost } from './plugins/http/use-known-host.ts'
import { useRequestForm } from './plugins/http/use-request-form.ts'
import { useRequestId } from './plugins/http/use-request-id.ts'
import { useSafeHeaders } from './plugins/http/use-safe-headers.ts'
import { useAdmission } from './plugins/use-admission.ts'
import { useContext } from './plugins/use-context.ts'
import { useDocuments } from './plugins/use-documents.ts'
import { useExecution } from './plugins/use-execution.ts'
import { useFigures } from './plugins/use-figures.ts'
import { useLimits } from './plugins/use-limits.ts'
import { useLogLine } from './plugins/use-log-line.ts'
import { useMaskedResults } from './plugins/use-masked-results.ts'
import { usePersistedQueries } from './plugins/use-persisted-queries.ts'
import { useRateLimit } from './plugins/use-rate-limit.ts'
import { useSubscriptions } from './plugins/use-subscriptions.ts'
import { useToken } from './plugins/use-token.ts'
import type { CreateContext } from './request-context.ts'
import type { Authenticate, Connections } from './socket/connections.ts'

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
  readonly rateLimit: Pick<RateLimit, 'take'>
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
    useMaskedResults(config, metrics),
    useLogLine(clock),
    useFigures(clock, metrics),
  ]
}
