/**
 * The tools of `POST /mcp`: a server of the protocol for one request, which asks this server's own GraphQL as its
 * caller. What is refused is a result that says so.
 */
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { ownNamespace } from '../../config/access/session-access.ts'
import { didYouMean } from '../../platform/closest.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomHex } from '../../platform/random.ts'
import { VERSION } from '../../platform/version.ts'
import type { Connections } from '../socket/connections.ts'
import { awaitAnswer, type AwaitedTurn } from './ask.ts'
import { DECIDE_APPROVAL, LIST_SESSIONS, READ_SESSION, SEARCH_FACTS, SEND_MESSAGE, type SentData } from './documents.ts'
import { admitWaiting } from '../protocols/admit.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor } from '../protocols/own-session.ts'
import { accepted, Refused } from '../protocols/refused.ts'

/** What the tools of one request need. */
export interface ToolsOptions {
  readonly operations: Operations
  /** The caller's. */
  readonly token: string
  readonly connections: Connections
  readonly clock: Clock
  /** Aborts when the client has left. */
  readonly left: AbortSignal
}

const MAX_WAIT_S = 3600
const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const

const session = z.string().describe('The id of the session.')
const user = z.string().optional().describe('For tokens of connectors: whom it is from, as on their platform.')
const message = {
  session: session.optional().describe('The id of the session; left out: a new one is opened.'),
  content: z.string().describe('What to say to the agent.'),
  user,
  idempotency_key: z
    .string()
    .optional()
    .describe('Sent again with the same key, it is not sent twice. Without a session, the key stands for one, too.'),
}
const cut = z.int().min(1).max(100).default(20)

/** A thousand misspelt arguments need no thousand sentences, and what is longer than any is no misspelling. */
const MAX_MISSPELT = 5
const MAX_NAME_CHARS = 60

/** Nothing else: an argument that is misspelt would count as left out, and `session` as a new one. */
function takes<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape)
  const none = (written: string): string => {
    const key = written.slice(0, MAX_NAME_CHARS).toWellFormed()
    return `there is no "${key}"${didYouMean(key, names)}, but ${names.join(', ')}`
  }
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, MAX_MISSPELT).map(none).join('; ') : undefined,
  })
}

/** With the tools that the caller may use. */
export function createToolServer(options: ToolsOptions): McpServer {
  const { operations } = options
  const server = new McpServer({ name: 'factotum', title: 'Factotum', version: VERSION })
  addMessages(server, options)
  addReading(server, operations)
  if (operations.caller.viewer.role === 'ADMIN') addFacts(server, operations)
  addApprovals(server, operations)
  return server
}

function addMessages(server: McpServer, options: ToolsOptions): void {
  const { operations } = options
  server.registerTool(
    'send_message',
    { description: 'Sends a message to the agent and returns at once.', inputSchema: takes(message) },
    (args) => answered(async () => shown(await send(operations, args))),
  )
  const inputSchema = takes({
    ...message,
    timeout_seconds: z.int().min(1).max(MAX_WAIT_S).default(300).describe('How long to wait for the answer.'),
  })
  server.registerTool(
    'ask',
    { description: 'Sends a message to the agent and waits for its answer, telling of progress.', inputSchema },
    (args, context) => answered(() => ask(options, args, context)),
  )
}

function addReading(server: McpServer, operations: Operations): void {
  server.registerTool(
    'read_session',
    {
      description: 'Reads a session: what was said last, what runs, and what waits for an approval.',
      inputSchema: takes({ session, last: cut.describe('How many entries of the conversation.') }),
      annotations: READ_ONLY,
    },
    ({ session: id, last }) =>
      answered(async () => {
        const found = await operations.run(READ_SESSION, { id, last })
        if (found.session === null) throw new Refused(`There is no session "${id}" that you may see.`)
        return shown(found.session)
      }),
  )
  const search = z.string().optional().describe('Only those whose description contains it.')
  const after = z.string().optional().describe('The cursor at which the page before ended.')
  server.registerTool(
    'list_sessions',
    {
      description: 'Lists the sessions that you may see, the latest first.',
      inputSchema: takes({ search, first: cut.describe('How many.'), after }),
      annotations: READ_ONLY,
    },
    ({ first, after: cursor = null, search: text = null }) =>
      answered(async () =>
        shown((await operations.run(LIST_SESSIONS, { first, after: cursor, search: text })).sessions),
      ),
  )
}

function addFacts(server: McpServer, operations: Operations): void {
  server.registerTool(
    'search_facts',
    {
      description: 'Searches what the agent knows for good. For admins.',
      inputSchema: takes({ search: z.string().describe('Words, as in a web search.'), first: cut }),
      annotations: READ_ONLY,
    },
    (args) => answered(async () => shown((await operations.run(SEARCH_FACTS, args)).facts ?? {})),
  )
}

function addApprovals(server: McpServer, operations: Operations): void {
  const inputSchema = takes({
    approval: z.string().describe('The id of the approval, as read_session and ask name it.'),
    approve: z.boolean().describe('true: it may run. false: it may not.'),
    note: z.string().optional().describe('The reason, which the planner is given.'),
    scope: z.enum(['ONCE', 'SESSION']).optional().describe('SESSION: also what is the same later in the session.'),
    user,
  })
  server.registerTool(
    'decide_approval',
    { description: 'Decides about what a turn waits for.', inputSchema },
    ({ approval: id, ...decision }) =>
      answered(async () => {
        const { result } = await operations.run(DECIDE_APPROVAL, { input: { id, ...decision } })
        return shown(accepted(result, result.approval))
      }),
  )
}

interface Message {
  readonly session?: string | undefined
  readonly content: string
  readonly user?: string | undefined
  readonly idempotency_key?: string | undefined
}

interface Sent extends SentData {
  readonly sessionId: string
}

async function send(operations: Operations, args: Message): Promise<Sent> {
  // It is opened by its first message, so that one that is refused leaves none behind.
  const sessionId = args.session ?? newSession(operations, args.idempotency_key)
  const { content, user: from, idempotency_key: idempotencyKey } = args
  const input = { sessionId, content, user: from, idempotencyKey }
  const { result } = await operations.run(SEND_MESSAGE, { input })
  return { sessionId, ...accepted(result, result.message) }
}

/** The same for the same key, which holds in one session alone: sent again, it finds the session that it has opened. */
function newSession({ caller: { viewer } }: Operations, key: string | undefined): string {
  return `${ownNamespace(viewer)}:mcp:${key === undefined ? randomHex(16) : nameFor(key)}`
}

async function ask(
  { operations, token, connections, clock, left }: ToolsOptions,
  { timeout_seconds: seconds, ...args }: Message & { readonly timeout_seconds: number },
  context: ServerContext,
): Promise<CallToolResult> {
  admitWaiting(operations.caller, connections)
  const gone = new AbortController()
  // As any other that waits: a token that is removed, or a server that stops, ends it.
  const identity = { credential: { kind: 'TOKEN', secret: token } as const, viewer: operations.caller.viewer }
  const leave = connections.add({ transport: 'sse', identity, beat: () => undefined, end: () => gone.abort() })
  try {
    const sent = await send(operations, args)
    const awaited = awaitAnswer({
      operations,
      sessionId: sent.sessionId,
      sent,
      timeoutMs: seconds * 1000,
      signal: AbortSignal.any([gone.signal, left, context.mcpReq.signal]),
      clock,
      onProgress: progressOf(context),
    })
    return await showAwaited(sent, awaited)
  } finally {
    leave()
  }
}

/** What is refused now was sent all the same: a client that does not learn where it is would send it once more. */
async function showAwaited(sent: Sent, awaited: Promise<AwaitedTurn | null>): Promise<CallToolResult> {
  try {
    const asked = await awaited
    return asked === null ? shown({ ...sent, note: 'It is on record and starts no turn.' }) : showAnswer(sent, asked)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return refused(error.message, { sessionId: sent.sessionId, turnId: sent.turn?.id ?? null })
  }
}

/** Tells the client, if it has asked for that. Its failure is the client's leaving. */
function progressOf({ mcpReq }: ServerContext): (message: string) => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  let progress = 0
  return (text) => {
    progress += 1
    const params = { progressToken, progress, message: text }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

const LATER = 'It goes on without you: read_session shows the answer later.'
const DECIDE =
  'It waits for a decision, with decide_approval or by another who may: read_session shows the answer after that.'

function showAnswer({ sessionId }: Sent, { turn, isOver, waits }: AwaitedTurn): CallToolResult {
  const { id: turnId, status, failure } = turn
  const answer = turn.answer?.content ?? null
  if (!isOver) {
    const { approvals } = turn.session
    return shown({
      sessionId,
      turnId,
      status,
      waits,
      approvals,
      next: waits !== null && approvals.length > 0 ? DECIDE : LATER,
    })
  }
  if (status === 'DONE')
    return { content: [{ type: 'text', text: answer ?? '' }], structuredContent: { sessionId, turnId, status, answer } }
  const why = failure ?? (status === 'CANCELLED' ? 'The turn was cancelled.' : 'The turn failed.')
  return refused(why, { sessionId, turnId, status })
}

async function answered(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refused) return refused(error.message)
    throw error
  }
}

interface SentPlace {
  readonly sessionId: string
  readonly turnId: string | null
  readonly status?: string
}

/** `sent`: where the message is, when it was sent. */
function refused(sentence: string, sent: SentPlace | null = null): CallToolResult {
  const content = [{ type: 'text' as const, text: sentence }]
  if (sent === null) return { isError: true, content }
  const text = `The message was sent, and is in session "${sent.sessionId}": read_session shows how it stands.`
  return { isError: true, content: [...content, { type: 'text', text }], structuredContent: { ...sent } }
}

function shown(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, null, 2) }], structuredContent: { ...value } }
}
