/**
 * What was said in a session, as a page shows it: by a person, by the agent, by the server. An entry is read from the
 * log and has an id of its own, because its message or task has one, too, and clients keep what has an id.
 */
import type { Config } from '../../../config/config.ts'
import type { MessageRole } from '../../../core/status.ts'
import { must } from '../../../platform/must.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder, type BuilderTypes } from '../builder.ts'
import { MessageRoleEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { connectionOf } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import { MessageRow } from '../message/message.ts'
import { TaskRow } from '../turn/task.ts'
import { TurnRow } from '../turn/turn.ts'
import { ActorInterface, type Actor } from '../people/actor.ts'
import { actorNamed, serverPart, stranger } from '../people/to-actor.ts'
import { stillThere } from '../still-there.ts'
import { readTexts, type EntryKey } from './read-conversation.ts'

export interface Entry extends EntryKey {
  readonly id: string
}

const ENTRY_PREFIX = 'entry_'

/** "entry_…" with the rest of the id of its message or task. */
export function entryOf(key: EntryKey): Entry {
  const rowId = must(key.messageId ?? key.taskId, 'what was said is a message or a text of a task')
  return { ...key, id: `${ENTRY_PREFIX}${rowId.slice(rowId.lastIndexOf('_') + 1)}` }
}

/** The ids of the message and of the task, one of which the entry with this id can be of. */
export function rowIdsOf(entryId: string): { readonly messageId: string; readonly taskId: string } {
  const rest = entryId.slice(ENTRY_PREFIX.length)
  return { messageId: `msg_${rest}`, taskId: `task_${rest}` }
}

function roleOf({ role, notice }: EntryKey): MessageRole {
  return role ?? (notice ? 'SYSTEM' : 'ASSISTANT')
}

const TYPE_NAMES = { USER: 'PersonMessage', ASSISTANT: 'AgentText', SYSTEM: 'Notice' } as const

export function entryTypeName(entry: EntryKey): (typeof TYPE_NAMES)[MessageRole] {
  return TYPE_NAMES[roleOf(entry)]
}

export const AuthorType = builder.objectRef<EntryKey>('Author').implement({
  description: 'Who said something in a conversation.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    role: t.field({ type: MessageRoleEnum, description: 'A person, the agent, or the system.', resolve: roleOf }),
    name: t.string({
      nullable: true,
      description:
        'Of a person: the name of a user or, when not trusted, the identity that the client gave. Null for the agent and the server, and ' +
        'where no name was given.',
      resolve: ({ userName }) => userName,
    }),
    trusted: t.boolean({
      description: 'Whether it is a known user, the agent or the server.',
      resolve: ({ trusted }) => trusted ?? true,
    }),
    actor: t.field({
      type: ActorInterface,
      description:
        'The same as the audit and others name it: who said it, or who put it there for the agent or the system.',
      resolve: (entry, _args, { config }) => speakerOf(config.current(), entry),
    }),
  }),
})

function speakerOf(config: Config, entry: EntryKey): Actor {
  const { userName, trusted } = entry
  const role = roleOf(entry)
  if (userName === null) return role === 'USER' ? stranger('') : serverPart(role === 'SYSTEM' ? 'server' : 'agent')
  return trusted === false ? stranger(userName) : actorNamed(config, userName)
}

/** What all entries have. */
function commonFields(t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Entry>) {
  return {
    id: t.exposeID('id', { description: 'Begins with "entry_". Its message or task has an id of its own.' }),
    seq: t.exposeInt('seq', { description: 'Its place in the log of the session, and in the conversation.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was said.' }),
    author: t.field({ type: AuthorType, description: 'Who said it.', resolve: (entry) => entry }),
    turn: TurnRow.fieldOrNull(
      t,
      ({ turnId }) => turnId,
      'The turn that processes the message, or in which the text was written; null when there is none.',
    ),
    content: t.string({
      description: 'The whole text.',
      resolve: async (entry, _args, context, info) => {
        const text = loadAt({ context, info }, entry, (entries) => readTexts(context.database, entries))
        return stillThere(text.then((found) => found ?? null))
      },
    }),
  }
}

function taskField(t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Entry>) {
  return TaskRow.fieldOrNull(
    t,
    ({ taskId }) => taskId,
    'The MSG task that wrote it; null when a client brought it (appendMessage).',
  )
}

const PersonMessageType = builder.objectRef<Entry>('PersonMessage').implement({
  description: 'What a person said, or a client for one.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  fields: (t) => ({
    ...commonFields(t),
    message: MessageRow.field(
      t,
      ({ messageId }) => must(messageId, 'a person speaks by messages'),
      'The message, with how far it has come.',
    ),
  }),
})

export const AgentTextType = builder.objectRef<Entry>('AgentText').implement({
  description: 'What the agent said.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  fields: (t) => ({
    ...commonFields(t),
    task: taskField(t),
    final: t.exposeBoolean('final', { description: 'The answer: the last text of a plan that ended well.' }),
  }),
})

const NoticeType = builder.objectRef<Entry>('Notice').implement({
  description: 'What the server said in its own words: why there is a new plan, or why a turn failed.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  fields: (t) => ({ ...commonFields(t), task: taskField(t) }),
})

export const ConversationEntryType = builder.unionType('ConversationEntry', {
  description: 'Something that was said in a session. What the agent does between is in its turn.',
  types: [PersonMessageType, AgentTextType, NoticeType],
  resolveType: entryTypeName,
})

export const ConversationConnection = connectionOf<Entry>(ConversationEntryType, {
  name: 'Conversation',
  order: 'in the order in which it was said',
})
