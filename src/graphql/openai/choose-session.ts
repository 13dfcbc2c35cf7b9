/**
 * Which session a request belongs to, and whether its message is there already. In this order: the one that is named,
 * that of the response which it follows, the one in which the client's history was said, a new one.
 */
import { ownNamespace } from '../../config/access/session-access.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomHex } from '../../platform/random.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor, ownSession } from '../protocols/own-session.ts'
import { accepted } from '../protocols/refused.ts'
import { OPEN_SESSION, READ_SESSION, type SentMessage } from '../protocols/turn-documents.ts'
import { withoutDecisions } from './approval-words.ts'
import type { Ask } from './ask.ts'
import type { Previous } from './awaited.ts'
import { FIND_SESSIONS, FIRST_KEY, READ_CONVERSATION, type EntryData } from './documents.ts'
import { invalid } from './openai-error.ts'
import { meaningOf, unknownModel } from './models.ts'
import { isSame, matchConversation, type Exchange, type RepeatedText } from './same-conversation.ts'

export interface Chosen {
  readonly sessionId: string
  /** The message of this request, where an attempt before this one has sent it. */
  readonly sent: SentMessage | null
}

interface FoundSession {
  readonly sessionId: string
  readonly sent: SentMessage | null
  /** To be kept in the metadata of a session that is opened. */
  readonly first: string | null
}

/** The session is there, with the model and the instructions that the request asks for. */
export async function chooseSession(
  operations: Operations,
  ask: Ask,
  { named, clock }: { readonly named: string | null; readonly clock: Clock },
): Promise<Chosen> {
  const place = await (named === null
    ? findPlace(operations, ask, clock)
    : placeIn(operations, { sessionId: named, ask, clock }))
  if (place.sent === null) await prepare(operations, ask, place)
  return place
}

/** Null: the request names none. */
export function namedSession({ caller }: Operations, { session }: Ask, previous: Previous | null): string | null {
  return session === null ? (previous?.sessionId ?? null) : ownSession(caller.viewer, session)
}

/** Sessions that no request names are looked up in the caller's own name space, where no other can put one. */
export function prefixOf(operations: Operations): string {
  return `${ownNamespace(operations.caller.viewer)}:`
}

async function findPlace(operations: Operations, ask: Ask, clock: Clock): Promise<FoundSession> {
  const history = withoutDecisions(ask.history)
  const first = nameFor(history.find(({ role }) => role === 'user')?.text.trim() ?? ask.text.trim())
  const found = await findConversation(operations, { ask, history, first, clock })
  if (found !== null) return { ...found, first: null }
  const { idempotencyKey } = ask
  // The same for the same key: sent again, it finds the session that it has opened.
  const name = idempotencyKey === null ? randomHex(12) : nameFor(`key ${idempotencyKey}`)
  return { sessionId: `${prefixOf(operations)}openai:${name}`, sent: null, first }
}

interface Wanted {
  readonly ask: Ask
  readonly history: readonly RepeatedText[]
  readonly first: string
  readonly clock: Clock
}

async function findConversation(
  operations: Operations,
  { ask, history, first, clock }: Wanted,
): Promise<Omit<FoundSession, 'first'> | null> {
  const repeats = ask.isRetry || ask.idempotencyKey !== null
  if (history.length === 0 && !ask.isRetry) return null
  const prefix = prefixOf(operations)
  const { sessions } = await operations.run(FIND_SESSIONS, { first })
  for (const { node } of sessions.edges) {
    if (!node.id.startsWith(prefix)) continue
    const entries = await readEntries(operations, node.id)
    const match = matchConversation(history, ask.text, toExchanges(entries))
    if (match === 'NEXT') return { sessionId: node.id, sent: null }
    if (match !== 'AGAIN') continue
    const sent = repeats ? lastSent(entries, ask, clock) : null
    // A first message that is said once more begins a conversation of its own.
    if (sent !== null || history.length > 0) return { sessionId: node.id, sent: ask.isRetry ? sent : null }
  }
  return null
}

async function placeIn(
  operations: Operations,
  { sessionId, ask, clock }: { readonly sessionId: string; readonly ask: Ask; readonly clock: Clock },
): Promise<FoundSession> {
  // With a key the database knows better.
  const mayBeThere = ask.isRetry && ask.idempotencyKey === null
  const sent = mayBeThere ? lastSent(await readEntries(operations, sessionId), ask, clock) : null
  return { sessionId, sent, first: null }
}

/** What was said last, if it is what is sent again. */
function lastSent(entries: readonly EntryData[], { text, triedWithinMs }: Ask, clock: Clock): SentMessage | null {
  const last = entries.findLast(({ __typename }) => __typename === 'PersonMessage')
  if (last?.content === undefined || last.at === undefined || !isSame(last.content, text)) return null
  const isRecent = clock.now().getTime() - Date.parse(last.at) < triedWithinMs
  return isRecent ? (last.message ?? null) : null
}

async function readEntries(operations: Operations, id: string): Promise<readonly EntryData[]> {
  const { session } = await operations.run(READ_CONVERSATION, { id })
  return session?.conversation.edges.map(({ node }) => node) ?? []
}

function toExchanges(entries: readonly EntryData[]): Exchange[] {
  const exchanges: { said: string; answer: string }[] = []
  for (const { __typename, content = '' } of entries) {
    const last = exchanges.at(-1)
    if (__typename === 'PersonMessage') exchanges.push({ said: content, answer: '' })
    else if (__typename === 'AgentText' && last !== undefined)
      last.answer = last.answer === '' ? content : `${last.answer}\n\n${content}`
  }
  return exchanges
}

/** Opens it where it is not there; what the request asks of it is its opener's to change. */
async function prepare(operations: Operations, ask: Ask, { sessionId, first }: FoundSession): Promise<void> {
  const { model } = meaningOf(ask.model)
  const { instructions } = ask
  const { session } = await operations.run(READ_SESSION, { id: sessionId })
  const isAsAsked =
    session !== null &&
    (model === null || session.model === model) &&
    (instructions === null || session.instructions === instructions)
  if (isAsAsked) return
  const { result } = await operations.run(OPEN_SESSION, {
    input: {
      id: sessionId,
      ...(model === null ? {} : { model }),
      ...(instructions === null ? {} : { instructions }),
      ...(first === null ? {} : { metadata: { [FIRST_KEY]: first } }),
    },
  })
  const issue = result.issues?.[0]
  if (issue?.path.at(-1) === 'model') throw unknownModel(ask.model, issue.problem)
  if (issue?.path.at(-1) === 'instructions')
    throw invalid(`The system prompt ${issue.problem}.`, ask.param === 'input' ? 'instructions' : 'messages')
  if (issue?.path.at(-1) === 'id') throw invalid(`The name of the session ${issue.problem}.`, null)
  accepted(result, result.session)
}
