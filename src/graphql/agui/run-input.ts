/** What a page asks for by AG-UI's `RunAgentInput`, in words of ours. */
import * as z from 'zod'
import { Refused } from '../protocols/refused.ts'
import type { Decision, GivenUp } from '../protocols/decide.ts'

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().nullish() }))])

const messageSchema = z.looseObject({
  id: z.string().min(1).max(200),
  role: z.string(),
  content: content.nullish(),
  toolCalls: z.array(z.looseObject({ id: z.string() })).nullish(),
  toolCallId: z.string().nullish(),
})
type InputMessage = z.infer<typeof messageSchema>

const inputSchema = z.looseObject({
  threadId: z.string().min(1).max(255),
  runId: z.string().min(1).max(255),
  protocolVersion: z.string().nullish(),
  messages: z.array(messageSchema),
  tools: z.array(z.unknown()).nullish(),
  context: z.array(z.looseObject({ description: z.string(), value: z.string() })).nullish(),
  forwardedProps: z.unknown().optional(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string(),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .nullish(),
})

/** What is asked for besides in `forwardedProps`. */
const propsSchema = z.looseObject({
  mode: z.enum(['PLAN', 'CHAT']).nullish(),
  user: z.string().nullish(),
})

const payloadSchema = z.looseObject({
  approved: z.boolean(),
  note: z.string().nullish(),
  editedDetail: z.string().nullish(),
  editedArgs: z.unknown().optional(),
})

export interface RunInput {
  readonly threadId: string
  readonly runId: string
  /** The page knows the outcome "cancelled": from version 1.0 of the protocol, which pages name, on. */
  readonly namesCancelled: boolean
  readonly mode: 'PLAN' | 'CHAT' | null
  /** Of a connector: whom it is from. */
  readonly user: string | null
  /** The last message, when it is one of the user. `isRepeated`: it was said before on the page. */
  readonly said: { readonly id: string; readonly text: string; readonly isRepeated: boolean } | null
  readonly decisions: readonly (Decision | GivenUp)[]
  /** What the page has of the agent already, by id. */
  readonly shown: PageContent
}

export interface PageContent {
  readonly texts: ReadonlyMap<string, string>
  readonly thoughts: ReadonlyMap<string, string>
  readonly calls: ReadonlySet<string>
  readonly results: ReadonlySet<string>
}

/** Throws a Refused. */
export function readRunInput(body: unknown): RunInput {
  const parsed = inputSchema.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refuse(`${issue?.path.join('.') ?? 'The body'}: ${issue?.message ?? 'is not valid'}.`)
  }
  const { threadId, runId, protocolVersion, messages, tools, forwardedProps, resume } = parsed.data
  if ((tools ?? []).length > 0)
    throw refuse(
      'tools: the agent calls tools of this server, not of its pages: leave them out. An MCP server that config.toml ' +
        'names under [mcp] brings tools to the agent.',
    )
  const { mode = null, user = null } = propsSchema.safeParse(forwardedProps).data ?? {}
  const last = messages.at(-1)
  return {
    threadId,
    runId,
    namesCancelled: protocolVersion != null,
    mode,
    user,
    said: last?.role === 'user' ? readSaid(last, messages) : null,
    decisions: (resume ?? []).map((entry) => ({ ...decisionOf(entry), ...(user === null ? {} : { user }) })),
    shown: {
      texts: textsBy('assistant', messages),
      thoughts: textsBy('reasoning', messages),
      calls: new Set(messages.flatMap(({ toolCalls }) => (toolCalls ?? []).map(({ id }) => id))),
      results: new Set(messages.flatMap(({ toolCallId }) => toolCallId ?? [])),
    },
  }
}

function readSaid(last: InputMessage, messages: readonly InputMessage[]): RunInput['said'] {
  const alike = JSON.stringify(last.content)
  const same = messages.filter(({ role, content: said }) => role === 'user' && JSON.stringify(said) === alike)
  return { id: last.id, text: textOf(last), isRepeated: same.length > 1 }
}

interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: unknown
}

/** What a page gives up is denied, as what is not decided in time is; what waits no more it may give up, too. */
function decisionOf({ interruptId: id, status, payload }: ResumeEntry): Decision | GivenUp {
  if (!/^appr_[0-9a-z]{26}$/.test(id)) throw refuse(`resume: "${id.slice(0, 100)}" is the id of no interrupt.`)
  if (status === 'cancelled') return { id, approve: false, note: 'It was given up on the page.', isGivenUp: true }
  const bare = typeof payload === 'boolean' ? { approved: payload } : payload
  const parsed = payloadSchema.safeParse(bare)
  if (!parsed.success) throw refuse('resume: the payload must be { "approved": true } or { "approved": false }.')
  const { approved, note, editedDetail, editedArgs } = parsed.data
  return {
    id,
    approve: approved,
    ...(note == null ? {} : { note }),
    ...(editedDetail == null ? {} : { editedDetail }),
    ...(editedArgs == null ? {} : { editedArgs }),
  }
}

/** By the ids of their messages. */
function textsBy(role: string, messages: readonly InputMessage[]): Map<string, string> {
  return new Map(messages.flatMap((one) => (one.role === role ? [[one.id, textOf(one)] as const] : [])))
}

function textOf({ content }: InputMessage): string {
  if (content == null) return ''
  if (typeof content === 'string') return content
  const texts = content.map(({ type, text }) => {
    if (typeof text === 'string') return text
    throw refuse(`messages: ${type} is not taken here. Put files into the session with PUT /files/<session>/<name>.`)
  })
  return texts.join('\n')
}

function refuse(sentence: string): Refused {
  return new Refused(sentence, { code: 'INVALID_INPUT' })
}
