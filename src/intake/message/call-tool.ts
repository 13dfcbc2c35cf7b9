/**
 * `callTool`: a person has a tool called, and no model is asked. The call is a message as any other, so that queue,
 * share, busy policy, rights and approvals hold for it; its turn has the one task (src/turn/chat/run-direct-call.ts).
 * Called by the GraphQL door.
 */
import { currentUser, type CurrentUser } from '../../config/access/current-user.ts'
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import { resolveSender } from '../../config/access/resolve-sender.ts'
import { invalidInput, notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { textOfCall, type DirectCall } from '../../core/tool/direct-call.ts'
import type { JsonObject, JsonValue } from '../../core/tool/json.ts'
import { readArguments } from '../../core/tool/read-arguments.ts'
import type { Viewer } from '../../core/identity.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import { KEY_RULE, textIssues } from '../../core/text/text-rule.ts'
import { redactJson } from '../../secrets/redact-json.ts'
import { isKnownKey, type SessionAccess } from '../../store/intake/intake-access.ts'
import { argumentProblems } from '../../tools/check-arguments.ts'
import type { ToolCatalog } from '../../tools/tool-catalog.ts'
import { authorizeSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import type { MessageAccepted } from './announce-message.ts'
import { sendMessage, storedKey, type SendMessageInput } from './send-message.ts'

/** What a client sends, unchecked; a field that is null counts as left out. */
export interface CallToolInput extends Pick<SendMessageInput, 'sessionId' | 'user' | 'idempotencyKey'> {
  readonly tool: string
  /** None when left out. */
  readonly args?: JsonValue | undefined
}

type CallToolContext = IntakeContext & { readonly tools: Pick<ToolCatalog, 'snapshot'> }

/**
 * A tool that is not there and one that the sender may not use are the same refusal. What is accepted is checked again
 * when its turn comes: tools, rights and rules may be others by then. So may they be when a call is repeated: what was
 * accepted before is answered with its message.
 */
export async function callTool(
  context: CallToolContext,
  viewer: Viewer,
  { tool, args: given, ...input }: CallToolInput,
): Promise<MessageAccepted | Refusal> {
  const access = authorizeSession(viewer, { sessionId: input.sessionId, path: ['sessionId'] }, ['SEND'])
  if ('kind' in access) return access
  const config = context.config.current()
  const sender = resolveSender(config, viewer, input.user)
  if ('kind' in sender) return sender
  const user = sender.trusted ? currentUser(config, sender.name) : null
  if (user === null)
    return invalidInput(['user'], 'No user has this identity as an alias: nothing is called for strangers.')
  const args = readArguments(JSON.stringify(given ?? {}))
  if (args === null) return invalidInput(['args'], 'The arguments are no JSON object, or are nested too deeply.')
  const refusal = refuseCall(context, user, { tool, args })
  if (refusal !== null && !(await isRepeated(context, access, input))) return refusal
  const call = { tool, args: withoutSecrets(context, input.sessionId, args) }
  const message = { ...input, content: textOfCall(call), mentioned: true, mode: 'CHAT', call } as const
  return sendMessage(context, viewer, message)
}

function refuseCall({ tools }: CallToolContext, user: CurrentUser, { tool, args }: DirectCall): Refusal | null {
  const offer = mayUseTool(user, tool) ? tools.snapshot().tools.get(tool) : undefined
  if (offer === undefined) return notFound('tool', tool)
  return refuseInput(argumentProblems(offer.parameters, args).map((message) => ({ path: ['args'], message })))
}

async function isRepeated(
  { database }: CallToolContext,
  access: SessionAccess,
  { sessionId, idempotencyKey }: Pick<CallToolInput, 'sessionId' | 'idempotencyKey'>,
): Promise<boolean> {
  if (idempotencyKey == null || textIssues([], idempotencyKey, KEY_RULE).length > 0) return false
  return isKnownKey(database, access, { sessionId, idempotencyKey: storedKey('call', idempotencyKey) })
}

/** As what a model calls a tool with: a secret of the deployment, or what has the form of one, goes to no tool. */
function withoutSecrets({ redactorOf }: IntakeContext, sessionId: string, args: JsonObject): DirectCall['args'] {
  return redactJson(redactJson(args, redactorOf(sessionId)), BY_FORM)
}

const BY_FORM = { isEmpty: false, redact: hideForms }
