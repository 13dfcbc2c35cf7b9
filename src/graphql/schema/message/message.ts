/** A message of a session: from a person, the agent or the system. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { ERASED } from '../../../core/text/erased.ts'
import type { DirectCall } from '../../../core/tool/direct-call.ts'
import type { Database, Statement } from '../../../store/database.ts'
import { AUTHENTICATED } from '../access.ts'
import { loadAt } from '../paging/load-at.ts'
import { builder } from '../builder.ts'
import { connectionType } from '../paging/connection-type.ts'
import { MessageRoleEnum, MessageStatusEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'

const DirectCallType = builder.objectRef<DirectCall>('DirectCall').implement({
  description: 'A tool that a person has called, without a model.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    tool: t.exposeString('tool', { description: 'Its name, as in Query.tools.' }),
    args: t.expose('args', { type: 'JSON', description: 'What it is called with, without secrets.' }),
  }),
})

export const MessageType = builder.prismaObject('Message', {
  description:
    'A text that was said in a session. A message of a known user to the agent starts a turn when its time comes.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "msg_".' }),
    session: t.relation('session', { description: 'The session it was said in.' }),
    user: t.exposeString('userName', {
      nullable: true,
      description:
        'Who said it: the name of a user, or, when untrusted, the identity that the client gave. Null when no name was given; ' +
        `"${ERASED}" after eraseUser.`,
    }),
    role: t.expose('role', { type: MessageRoleEnum, description: 'Who speaks: a person, the agent, or the system.' }),
    content: t.exposeString('content', { description: `The text, 1 byte to 256 KiB; "${ERASED}" after eraseUser.` }),
    trusted: t.exposeBoolean('trusted', {
      description: 'Whether the sender is a user whom the configuration knows. Untrusted messages never start a turn.',
    }),
    mentioned: t.exposeBoolean('mentioned', {
      description: 'The client said that it is directed at the agent. Only groups go by it.',
    }),
    status: t.expose('status', { type: MessageStatusEnum, description: 'How far it has come.' }),
    queuePosition: t.int({
      nullable: true,
      description: "Its place among the session's waiting messages: 0 = next to run. Null unless it is queued.",
      select: { id: true, status: true },
      resolve: async (message, _args, context, info) => {
        if (message.status !== 'QUEUED') return null
        return (await loadAt({ context, info }, message.id, (ids) => queuePositions(context.database, ids))) ?? null
      },
    }),
    idempotencyKey: t.string({
      nullable: true,
      description:
        'What its client sent it with (sendMessage, callTool) or called it (appendMessage), so that a page knows its own again; else null.',
      select: { idempotencyKey: true },
      // What the server itself enters has keys of other kinds.
      resolve: ({ idempotencyKey }) => /^(?:send|append|call):(.*)$/s.exec(idempotencyKey ?? '')?.[1] ?? null,
    }),
    call: t.field({
      type: DirectCallType,
      nullable: true,
      description: 'The tool that it calls (callTool), where no model is to answer; null after eraseUser, too.',
      select: { call: true },
      resolve: ({ call }) => call as DirectCall | null,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was accepted, or, if appended, when it was said.',
    }),
    turn: t.relation('turn', { nullable: true, description: 'The turn that processes it; null when it starts none.' }),
  }),
})

const QUEUE_POSITIONS: Statement = {
  name: 'queue-positions',
  text: `
    SELECT t.message_id, (
      SELECT count(*)::int FROM turns ahead
      WHERE ahead.session_id = t.session_id AND ahead.status = 'QUEUED' AND ahead.seq < t.seq
    ) AS position
    FROM turns t
    WHERE t.message_id = ANY ($1::text[]) AND t.status = 'QUEUED'`,
}

async function queuePositions(database: Database, messageIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.query<{ message_id: string; position: number }>(QUEUE_POSITIONS, [messageIds])
  return new Map(rows.map((row) => [row.message_id, row.position]))
}

export const MessageRow = row('Message', {
  kind: 'message',
  table: (prisma) => prisma.message,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: connectionType(MessageType, 'in the order in which they arrived'),
})
