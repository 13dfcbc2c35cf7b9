/**
 * What plugins ask of the server, carried out. Every text is redacted; the rights are those of the user whom the plugin
 * names, and the audit has the plugin as the token: "plugin:<name>".
 */
import type { Config } from '../config/config.ts'
import { currentUser } from '../config/access/current-user.ts'
import type { Viewer } from '../core/identity.ts'
import type { Feed } from '../events/feed.ts'
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginCall, ServerRequest } from '../plugin-api/messages.ts'
import type { ProgramRequest } from '../plugin-api/program.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { isStorable, toStorable } from '../platform/well-formed.ts'
import { redactJson } from '../secrets/redact-json.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Database } from '../store/database.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { PluginPort } from './plugin-instance.ts'
import { isAboutProgram, PluginPrograms, type ProgramMeans } from './runtimes/plugin-programs.ts'
import { runToolForPlugin } from './run-tool-for-plugin.ts'
import { forgetKept, recordPluginEvent } from '../store/plugins/kept-events.ts'
import { getState, MAX_STATE_KEYS, removeState, setState, stateKeys } from '../store/plugins/plugin-state.ts'

/** Posts a text to a session; null, or why it was refused. */
export type Post = (
  viewer: Viewer,
  message: { readonly sessionId: string; readonly text: string },
) => Promise<string | null>

/** What plugins reach, given by open-plugins.ts. */
export interface PluginServices {
  readonly database: Database
  readonly config: { current(): Config }
  readonly redactor: () => Redactor
  /** As the viewer, whose turn follows. */
  readonly sendMessage: Post
  /** As the agent: no turn follows. */
  readonly appendMessage: Post
  /** All tools as they are now. */
  readonly tools: Pick<ToolCatalog, 'snapshot'>
  readonly feed: Pick<Feed, 'published' | 'onPublished'>
  readonly programs: ProgramMeans
  readonly clock: Clock
  readonly logger: Logger
}

const MAX_STATE_CHARS = 64 * 1024
const MAX_EVENT_CHARS = 16 * 1024
/** Of an event. */
const MAX_NAME_CHARS = 100

/** The server as this plugin reaches it. */
export function portOf(name: string, services: PluginServices): PluginPort {
  const logger = services.logger.child({ plugin: name })
  const programs = new PluginPrograms(name, services.programs)
  return {
    ask: (request, during) =>
      isAboutProgram(request) ? programs.serve(request) : serve(name, services, { request, during }),
    log: (level, message, fields) => logger[level]({ fields }, message),
    end: () => programs.end(),
  }
}

async function serve(
  plugin: string,
  services: PluginServices,
  { request, during }: { readonly request: Exclude<ServerRequest, ProgramRequest>; readonly during: PluginCall | null },
): Promise<Json> {
  const { database } = services
  switch (request.what) {
    case 'STATE_GET':
      return (await getState(database, plugin, toStorable(request.key))) as Json
    case 'STATE_KEYS':
      return stateKeys(database, plugin, toStorable(request.key))
    case 'STATE_DELETE':
      await removeState(database, plugin, toStorable(request.key))
      return null
    case 'STATE_SET':
      return keep(plugin, services, request)
    case 'SEND_MESSAGE':
      return post(services.sendMessage(asUser(plugin, services, request.user), request))
    case 'APPEND_MESSAGE':
      return post(services.appendMessage(asAgent(plugin), request))
    case 'RECORD':
      return record(plugin, services, request)
    case 'FORGET':
      return forgetKept(database, plugin, request.thanDays)
    case 'RUN_TOOL':
      return runToolForPlugin(plugin, services, { request, during })
  }
}

async function keep(
  plugin: string,
  { database, redactor }: PluginServices,
  { key, value }: Extract<ServerRequest, { what: 'STATE_SET' }>,
): Promise<null> {
  const json = toJson(value, redactor())
  if (json.length > MAX_STATE_CHARS) throw new Error(`too long: ${json.length} characters, ${MAX_STATE_CHARS} are kept`)
  const isKept = await setState(database, plugin, { key: toStorable(key), json })
  if (!isKept) throw new Error(`a plugin keeps ${MAX_STATE_KEYS} keys, no more`)
  return null
}

async function record(
  plugin: string,
  { database, redactor, feed, clock }: PluginServices,
  { sessionId, name, data }: Extract<ServerRequest, { what: 'RECORD' }>,
): Promise<null> {
  const json = toJson(data, redactor())
  if (json.length > MAX_EVENT_CHARS) throw new Error(`too long: ${json.length} characters, ${MAX_EVENT_CHARS} are kept`)
  const at = clock.now()
  const event = { plugin, name: redactor().redact(toStorable(name)).slice(0, MAX_NAME_CHARS).toWellFormed(), json }
  const known = isStorable(sessionId) ? await recordPluginEvent(database, { sessionId, at, data: event }) : null
  if (known === null) throw new Error(`there is no session "${sessionId}"`)
  feed.published([{ type: 'Plugin', ...event, sessionId, seq: known, at, turnId: null }])
  return null
}

/** PostgreSQL stores no NUL in JSON. */
function toJson(value: Json, redactor: Redactor): string {
  return JSON.stringify(redactJson(value, redactor)).replaceAll('\\u0000', '\\ufffd').toWellFormed()
}

async function post(posted: Promise<string | null>): Promise<null> {
  const refusal = await posted
  if (refusal !== null) throw new Error(refusal)
  return null
}

function asUser(plugin: string, { config }: PluginServices, name: string): Viewer {
  const user = currentUser(config.current(), name)
  if (user === null) throw new Error(`there is no user "${name}"`)
  const { role } = user
  return { tokenName: `plugin:${plugin}`, tokenKind: 'USER', namespace: null, user: { name: user.name, role }, role }
}

/** In whatever session: admins have enabled it. */
function asAgent(plugin: string): Viewer {
  return { tokenName: `plugin:${plugin}`, tokenKind: 'CONNECTOR', namespace: null, user: null, role: 'ADMIN' }
}
