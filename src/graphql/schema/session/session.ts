/** A durable conversation: what it is, who takes part, what it counts. Its lists are in session-lists.ts. */
import { row } from '../row.ts'
import { seenSessions, visibleSession } from './session-visibility.ts'
import { titleOfMessage } from '../../../core/session/session-title.ts'
import type { ConversationType } from '../../../core/status.ts'
import { ERASED } from '../../../core/text/erased.ts'
import type { Database, Statement } from '../../../store/database.ts'
import { OPENED_ELSEWHERE } from '../../../store/intake/intake-access.ts'
import { AUTHENTICATED } from '../access.ts'
import { loadAt } from '../paging/load-at.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import {
  BusyPolicyEnum,
  SessionModeEnum,
  ConversationTypeEnum,
  DescriptionSourceEnum,
  SessionStatusEnum,
} from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { selectList } from '../paging/plain-columns.ts'
import { matchable } from '../values/matchable.ts'
import { USAGE_COLUMNS, usageOf, UsageType } from '../turn/usage.ts'
import { ActorInterface } from '../people/actor.ts'
import { openerNamed } from '../people/to-actor.ts'
import { knownUsers, UserType } from '../people/user.ts'

interface SessionSource {
  readonly sourceKind: string
  readonly sourceInteractive: boolean
  readonly sourcePlatform: string | null
  readonly sourceTriggerId: string | null
  readonly sourceType: ConversationType
}

const SessionSourceType = builder.objectRef<SessionSource>('SessionSource').implement({
  description: 'Where a session comes from; kept for ever from its first opening.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    kind: t.exposeString('sourceKind', { description: 'The kind of client, such as "cli", "web" or "telegram".' }),
    interactive: t.exposeBoolean('sourceInteractive', {
      description: 'Whether a person sits at the other end and can be asked.',
    }),
    platform: t.exposeString('sourcePlatform', {
      nullable: true,
      description: 'The platform behind the client, if it named one.',
    }),
    triggerId: t.exposeString('sourceTriggerId', {
      nullable: true,
      description: 'What set the session off, if the client named it.',
    }),
    type: t.expose('sourceType', { type: ConversationTypeEnum, description: 'Who talks in it.' }),
  }),
})

const SOURCE_COLUMNS = {
  sourceKind: true,
  sourceInteractive: true,
  sourcePlatform: true,
  sourceTriggerId: true,
  sourceType: true,
} as const

export const SessionType = builder.prismaObject('Session', {
  description: 'A durable conversation. Its messages are processed one at a time, in order of arrival.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Chosen by the client that opened it, such as "cli:demo", or generated.' }),
    source: t.field({
      type: SessionSourceType,
      description: 'Where it comes from.',
      select: SOURCE_COLUMNS,
      resolve: (session) => session,
    }),
    connector: t.exposeString('connector', { nullable: true, description: 'The name of the token that opened it.' }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      description: "The clients' own notes: an object. Opening again merges keys.",
    }),
    description: t.exposeString('description', { nullable: true, description: 'A label for people.' }),
    descriptionSource: t.expose('descriptionSource', {
      type: DescriptionSourceEnum,
      nullable: true,
      description: 'Who wrote the description; null where there is none.',
    }),
    status: t.expose('status', { type: SessionStatusEnum, description: 'What it is doing.' }),
    mode: t.expose('mode', { type: SessionModeEnum, description: 'How turns work whose messages name no mode.' }),
    busyPolicy: t.expose('busyPolicy', {
      type: BusyPolicyEnum,
      description: 'What becomes of a message that arrives while a turn runs.',
    }),
    timeZone: t.string({
      description: 'The time zone in which its agents are told times, such as "Europe/Berlin".',
      select: { timeZone: true },
      resolve: ({ timeZone }, _args, { config }) => timeZone ?? config.current().settings.timeZone,
    }),
    summary: t.exposeString('summary', {
      description: 'What was said before, in short, as the planner is told; empty until there was enough to summarise.',
    }),
    workingMemory: t.string({
      nullable: true,
      description:
        'What the introspector noted at the last checkpoint, for the planner to keep in mind; null when there is nothing.',
      select: { workingMemory: true },
      resolve: ({ workingMemory }) => (workingMemory === '' ? null : workingMemory),
    }),
    participants: t.field({
      type: [UserType],
      extensions: ALL_STORED,
      description:
        'The users who see it and may post, in the order in which they joined. Users who were removed are left out.',
      select: { participants: { select: { userName: true }, orderBy: [{ joinedAt: 'asc' }, { userName: 'asc' }] } },
      resolve: (session, _args, context) =>
        knownUsers(
          context.config.current(),
          session.participants.map((participant) => participant.userName),
        ),
    }),
  }),
})

builder.prismaObjectFields(SessionType, (t) => ({
  model: t.exposeString('model', {
    nullable: true,
    description: 'What plans and answers here, "provider:model"; null: the model of [models].',
  }),
  instructions: t.exposeString('instructions', {
    nullable: true,
    description:
      'What who plans and answers is told besides. In turns of admins it counts only when an admin wrote it.',
  }),
  openedBy: t.field({
    type: ActorInterface,
    nullable: true,
    description:
      'Who opened it, a user or a connector, and may change and delete it besides admins. Null: it was imported, or opened before this ' +
      'was recorded.',
    select: { openedBy: true },
    resolve: ({ openedBy }, _args, { config }) =>
      openedBy === null || openedBy === OPENED_ELSEWHERE ? null : openerNamed(config.current(), openedBy),
  }),
  messageCount: t.exposeInt('messageCount', { description: 'All its messages.' }),
  turnCount: t.exposeInt('turnCount', {
    description: 'Its turns that have ended, not counting those that another one took along.',
  }),
  queueLength: t.exposeInt('queueLength', { description: 'Messages that wait, not counting the running turn.' }),
  title: t.string({
    description:
      'What to call it in a list: its description; without one the beginning of the first message that a person or a client ' +
      'sent (of its first 20), on one line, at most 80 characters and "…"; else its id.',
    select: { id: true, description: true },
    resolve: async ({ id, description }, _args, context, info) =>
      description ?? (await loadAt({ context, info }, id, (ids) => titles(context.database, ids))) ?? id,
  }),
  lastMessagePreview: t.exposeString('lastMessagePreview', {
    nullable: true,
    description:
      'The beginning of what was said last, by a person, the agent or the server; null until there is something.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first opened.' }),
  lastActivityAt: t.expose('lastActivityAt', {
    type: 'DateTime',
    description: 'When something last happened; lists sort by it.',
  }),
  lastSeq: t.exposeInt('lastSeq', { description: 'seq of the newest event: hand it to sessionEvents(after:).' }),
  activeTurn: t.prismaField({
    type: 'Turn',
    nullable: true,
    description: 'The turn that runs; null while none does.',
    resolve: async (query, session, _args, context, info) => {
      const id = await loadAt({ context, info }, session.id, (ids) => activeTurns(context.database, ids))
      return id === undefined ? null : context.database.prisma.turn.findUnique({ ...query, where: { id } })
    },
  }),
  usage: t.field({
    type: UsageType,
    description: 'What the model calls of all its turns and checkpoints have cost.',
    select: USAGE_COLUMNS,
    resolve: usageOf,
  }),
}))

const ACTIVE_TURNS: Statement = {
  name: 'active-turns',
  text: "SELECT session_id, id FROM turns WHERE session_id = ANY ($1::text[]) AND status IN ('RUNNING', 'AWAITING_APPROVAL')",
}

async function activeTurns(database: Database, sessionIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await database.query<{ session_id: string; id: string }>(ACTIVE_TURNS, [sessionIds])
  return new Map(rows.map((row) => [row.session_id, row.id]))
}

/**
 * Erased texts are no titles. So many messages are read, however many others follow; of a long text no more than a
 * title can hold, white space before it included.
 */
const TITLES: Statement = {
  name: 'titles',
  text: `
    SELECT s.id, m.beginning FROM unnest($1::text[]) AS s (id) CROSS JOIN LATERAL (
      SELECT left(content, 2000) AS beginning FROM (
        SELECT seq, role, content FROM messages WHERE session_id = s.id ORDER BY seq LIMIT 20) early
      WHERE role = 'USER' AND content <> $2 ORDER BY seq LIMIT 1) m`,
}

async function titles(database: Database, sessionIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await database.query<{ id: string; beginning: string }>(TITLES, [sessionIds, ERASED])
  const found = new Map<string, string>()
  for (const { id, beginning } of rows) {
    const title = titleOfMessage(beginning)
    if (title !== null) found.set(id, title)
  }
  return found
}

export const SessionRow = row('Session', {
  kind: null,
  table: (prisma) => prisma.session,
  visible: ({ viewer }, id) => visibleSession(viewer, id),
  readVisible: async ({ database, viewer }, id, columns) => {
    const { prefix, participant } = seenSessions(viewer)
    const text = `
      SELECT ${selectList(columns)} FROM sessions s
      WHERE id = $1 AND ($2::text IS NULL OR starts_with(id, $2)) AND ($3::text IS NULL OR EXISTS (
        SELECT FROM participants WHERE session_id = s.id AND user_name = $3))`
    const values = [matchable(id), prefix, participant]
    const [found] = await database.query<{ id: string }>({ name: database.nameOf(text), text }, values)
    return found ?? null
  },
  connection: countedConnectionType(SessionType, 'newest activity first'),
})
