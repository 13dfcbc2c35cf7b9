/** What a request asks for, by its path: before anything of it is answered, and as a label for figures. */
import { AGUI_PATH } from './agui/agui-endpoint.ts'
import { ASSETS_PATH } from './console/console-files.ts'
import { FILES_PATH } from './files/serve-file.ts'
import { UPLOADS_PATH } from './files/receive-file.ts'
import { IMPORT_PATH, SESSIONS_PATH } from './files/session-transfer.ts'
import { CLIENT_PATH } from './http/frontend-routes.ts'
import { GRAPHIQL_PATH } from './http/graphiql-page.ts'
import { LOGIN_PATH, LOGOUT_PATH } from './login/login-routes.ts'
import { MCP_PATH } from './mcp/mcp-endpoint.ts'
import { OPENAI_PATH } from './openai/openai-endpoint.ts'
import { GRAPHQL_PATH } from './yoga.ts'

/** Null: it is none that is answered. */
export function parseUrl(path: string | undefined): URL | null {
  const base = 'http://localhost'
  return path !== undefined && !DETOUR.test(path) && URL.canParse(path, base) ? new URL(path, base) : null
}

/**
 * A path that names another one than it says ("/pub/../graphql", "//elsewhere/graphql", with a backslash for a slash):
 * what stands before this server and lets only some paths through would take it for the first.
 */
const DETOUR = /^[^?#]*(?:\/(?:\.|%2e){1,2}(?:[/?#]|$)|\\)|^\/\//i

/** Its body may take as long as that of an upload. */
export function takesFiles(url: URL | null, method: string | undefined): boolean {
  if (url === null) return false
  return method === 'PUT' ? url.pathname.startsWith(UPLOADS_PATH) : method === 'POST' && url.pathname === IMPORT_PATH
}

const FOLDERS = [FILES_PATH, UPLOADS_PATH, SESSIONS_PATH, GRAPHIQL_PATH, ASSETS_PATH, OPENAI_PATH]
const PATHS = new Set([
  '/',
  GRAPHQL_PATH,
  CLIENT_PATH,
  MCP_PATH,
  AGUI_PATH,
  LOGIN_PATH,
  LOGOUT_PATH,
  '/health',
  '/ready',
  '/metrics',
])

/** A label of few values, whatever is asked for. */
export function routeOf(url: URL | null): string {
  if (url === null) return 'other'
  const folder = FOLDERS.find((path) => url.pathname.startsWith(path))
  return folder ?? (PATHS.has(url.pathname) ? url.pathname : 'other')
}

/** What load balancers ask, by whatever name, and what tells nothing but that the server is there. */
export function isProbe(route: string): boolean {
  return route === '/health' || route === '/ready'
}
