/**
 * `ctx.runTool`: a plugin calls a tool while a turn calls the plugin, as the turn's user. Only tools that change
 * nothing, that the user may use, and that no rule of approval asks about: there is no task that a person could decide
 * about.
 */
import { currentUser } from '../config/access/current-user.ts'
import { mayUseTool } from '../config/access/may-use-skill.ts'
import { judgeRequest } from '../core/approval-policy.ts'
import { mayCall } from '../core/tool/delegated.ts'
import type { JsonObject } from '../core/tool/json.ts'
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginCall, ServerRequest } from '../plugin-api/messages.ts'
import { readLimits } from '../store/delegations/read-limits.ts'
import { argumentProblems } from '../tools/check-arguments.ts'
import type { Tool } from '../tools/tool.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Database } from '../store/database.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'

const MAX_TEXT_CHARS = 256 * 1024
/** Longer than the longest budget of a hook: no call waits beyond it. */
const TIMEOUT_MS = 30_000

/** What a call of a tool needs of the server. */
interface ToolServices {
  readonly database: Database
  readonly config: { current(): Config }
  readonly redactor: () => Redactor
  /** All tools as they are now. */
  readonly tools: Pick<ToolCatalog, 'snapshot'>
  readonly clock: Clock
}

interface CallingTurn {
  readonly sessionId: string
  readonly turnId: string
  readonly user: string
}

/** Rejects with what to change; how the tool ended is the answer. `during`: what the plugin is called for. */
export async function runToolForPlugin(
  plugin: string,
  services: ToolServices,
  {
    request,
    during,
  }: { readonly request: Extract<ServerRequest, { what: 'RUN_TOOL' }>; readonly during: PluginCall | null },
): Promise<Json> {
  const turn = turnOf(during)
  if (turn === null) throw new Error('a tool is called within a hook, a tool or a command of a turn, and nowhere else')
  const user = currentUser(services.config.current(), turn.user)
  if (user === null) throw new Error(`there is no user "${turn.user}"`)
  const tool = services.tools.snapshot().tools.get(request.name)
  const limits = await readLimits(services.database, turn.sessionId)
  if (tool === undefined || !mayUseTool(user, request.name) || !mayCall(limits, request.name))
    throw new Error(`there is no tool "${request.name}" that ${user.name} may use`)
  const barred = whyBarred(plugin, services, { tool, role: user.role })
  if (barred !== null) throw new Error(`the tool "${tool.name}" was not called: ${barred}`)
  const args = request.args as JsonObject
  const problems = argumentProblems(tool.parameters, args)
  if (problems.length > 0) throw new Error(`the tool "${tool.name}" was not called: ${problems.join('; ')}`)
  return run(services, tool, { turn, args, user: { name: user.name, role: user.role }, plugin })
}

function whyBarred(
  plugin: string,
  { config }: ToolServices,
  { tool, role }: { readonly tool: Tool; readonly role: 'ADMIN' | 'USER' },
): string | null {
  if (tool.source === plugin) return 'it is the own one of the plugin'
  if (tool.effect !== 'READ') return 'it may change something, and plugins may only read'
  const { name, effect, fingerprint } = tool
  const verdict = judgeRequest(config.current().approvals, { type: 'TOOL', role, tool: name, effect, fingerprint }, [])
  return verdict.effect === 'ALLOW' ? null : 'it needs an approval'
}

async function run(
  { clock, redactor }: ToolServices,
  tool: Tool,
  {
    turn,
    args,
    user,
    plugin,
  }: {
    readonly turn: CallingTurn
    readonly args: JsonObject
    readonly user: { readonly name: string; readonly role: 'ADMIN' | 'USER' }
    readonly plugin: string
  },
): Promise<Json> {
  const over = new AbortController()
  const cancel = clock.after(TIMEOUT_MS, () => over.abort())
  try {
    const { kind, text } = await tool.run({
      args,
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      taskId: `${turn.turnId}:${plugin}`,
      user,
      onProgress: () => {},
      signal: over.signal,
      timeoutMs: TIMEOUT_MS,
    })
    const shown = redactor().redact(text).slice(0, MAX_TEXT_CHARS).toWellFormed()
    return { kind: KINDS[kind], text: shown }
  } finally {
    cancel()
  }
}

const KINDS = { done: 'DONE', failed: 'FAILED', unknown: 'UNKNOWN' } as const

/** Null: the call is about no turn. */
function turnOf(call: PluginCall | null): CallingTurn | null {
  if (call === null || call.kind === 'RUNTIME') return null
  const data: Partial<CallingTurn> = call.kind === 'TOOL' ? call.call : (call.data as Partial<CallingTurn>)
  const { sessionId, turnId, user } = data
  const isTurn = typeof sessionId === 'string' && typeof turnId === 'string' && typeof user === 'string'
  return isTurn ? { sessionId, turnId, user } : null
}
