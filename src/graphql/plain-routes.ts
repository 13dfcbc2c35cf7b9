/** What is answered at the door without the endpoint of GraphQL: files, pages, logins, and other protocols. */
import type { Connections } from './socket/connections.ts'
import type { ConsoleFiles } from './console/console-files.ts'
import { graphiqlRoute } from './http/graphiql-page.ts'
import type { Admission } from './operation/admission.ts'
import { FileReceiver, UPLOADS_PATH } from './files/receive-file.ts'
import { FILES_PATH, serveFile } from './files/serve-file.ts'
import { SESSIONS_PATH, SessionTransfers } from './files/session-transfer.ts'
import type { CredentialOf } from './login/credential.ts'
import { loginRoutes } from './login/login-routes.ts'
import { AGUI_PATH, AguiEndpoint } from './agui/agui-endpoint.ts'
import { MCP_PATH, McpEndpoint } from './mcp/mcp-endpoint.ts'
import { registerRoute } from './mcp/register-route.ts'
import { OPENAI_PATH, OpenAIEndpoint } from './openai/openai-endpoint.ts'
import { frontendRoutes } from './http/frontend-routes.ts'
import type { PlainRoute } from './http/plain-route.ts'
import type { DoorYoga } from './yoga.ts'
import type { ServerOptions } from './server-options.ts'

type Given =
  | 'schema'
  | 'home'
  | 'intake'
  | 'uploads'
  | 'authenticate'
  | 'logins'
  | 'denials'
  | 'config'
  | 'doorbell'
  | 'database'
  | 'clock'
  | 'logger'
  | 'metrics'

export interface PlainRoutesParts {
  readonly options: Pick<ServerOptions, Given>
  readonly credentialOf: CredentialOf
  /** Milliseconds to wait before this token may do more; 0: it may now. */
  readonly takeRate: (tokenName: string) => number
  readonly yoga: DoorYoga
  readonly connections: Connections
  readonly admission: Admission
  readonly console: ConsoleFiles
}

/** The first whose path begins the request's answers it. */
export function plainRoutes(parts: PlainRoutesParts): readonly PlainRoute[] {
  const { credentialOf, takeRate, yoga, connections, admission, console } = parts
  const { schema, home, intake, uploads, authenticate, logins, denials, config } = parts.options
  const { doorbell, database, clock, logger, metrics } = parts.options
  const files = new FileReceiver({ intake, uploads, authenticate, credentialOf, logger, takeRate })
  const transfers = new SessionTransfers({
    database,
    doorbell,
    uploads,
    authenticate,
    credentialOf,
    denials,
    clock,
    takeRate,
  })
  const mcp = new McpEndpoint({ authenticate, admission, takeRate, yoga, connections, clock, logger, metrics })
  const openai = new OpenAIEndpoint({ authenticate, admission, takeRate, yoga, connections, clock, logger, metrics })
  const agui = new AguiEndpoint({ authenticate, admission, takeRate, yoga, connections, clock, logger, metrics })
  return [
    {
      path: FILES_PATH,
      methods: 'GET, HEAD',
      answer: (exchange) => serveFile({ database, home, clock, logger }, exchange),
    },
    ...frontendRoutes(schema, config),
    graphiqlRoute(config),
    console.route,
    { path: UPLOADS_PATH, methods: 'PUT', answer: (exchange) => files.handle(exchange) },
    { path: SESSIONS_PATH, methods: 'GET, POST', answer: (exchange) => transfers.handle(exchange) },
    ...(logins === null ? [] : loginRoutes({ logins, authenticate, denials, credentialOf, config, clock })),
    { path: MCP_PATH, methods: 'POST', answer: (exchange) => mcp.handle(exchange) },
    registerRoute,
    { path: AGUI_PATH, methods: 'POST', answer: (exchange) => agui.handle(exchange) },
    { path: OPENAI_PATH, methods: 'GET, POST, DELETE', answer: (exchange) => openai.handle(exchange) },
  ]
}
