/** `node(id:)`: anything by its id. The id's prefix tells the kind; an id without one can only be a session's. */
import { brandWithType } from '@pothos/core'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { StoredAuditEntry } from '../../core/audit-entry.ts'
import { idKind } from '../../platform/id.ts'
import { readAuditEntry } from '../../store/audit-reads.ts'
import type { GraphQLContext } from '../context.ts'
import { auditTypeName } from './audit/audit-entry.ts'
import { AUTHENTICATED } from './access.ts'
import { builder } from './builder.ts'
import { entryOf, entryTypeName, rowIdsOf, type Entry } from './conversation/conversation-entry.ts'
import { readEntryAt, readTextOf, type EntryKey } from './conversation/read-conversation.ts'
import type { Row } from './paging/connection-type.ts'
import { NodeInterface } from './node.ts'
import { visibleSchedule, visibleScheduleRun } from './schedule/schedule-visibility.ts'
import { inVisibleSession, visibleFact, visibleQuestion, visibleSession } from './session/session-visibility.ts'
import { tellIfAbsent } from './tell-if-absent.ts'

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'Anything by its id. Null when there is none that you may see.',
    args: { id: t.arg.id({ required: true, description: 'Its id, as every field "id" returns it.' }) },
    resolve: (_root, { id }, context, info) => tellIfAbsent(findNode(id, context, info), { id, context, info }),
  }),
)

/** Null when there is none that the viewer may see. `info`: of a field of type Node, whose selection is loaded. */
export async function findNode(id: string, context: GraphQLContext, info: GraphQLResolveInfo): Promise<Row | null> {
  const { viewer } = context
  const { prisma } = context.database
  const where = inVisibleSession(viewer, id)
  const columns = (typeName: string): { select: { id: true } } =>
    queryFromInfo({ context, info, typeName, select: { id: true } })
  switch (idKind(id)) {
    case 'message':
      return brand('Message', await prisma.message.findFirst({ ...columns('Message'), where }))
    case 'turn':
      return brand('Turn', await prisma.turn.findFirst({ ...columns('Turn'), where }))
    case 'plan':
      return brand('Plan', await prisma.plan.findFirst({ ...columns('Plan'), where }))
    case 'task':
      return brand('Task', await prisma.task.findFirst({ ...columns('Task'), where }))
    case 'approval':
      return brand('Approval', await prisma.approval.findFirst({ ...columns('Approval'), where }))
    case 'delivery':
      return brand('Delivery', await prisma.delivery.findFirst({ ...columns('Delivery'), where }))
    case 'fact':
      return brand(
        'Fact',
        await prisma.fact.findFirst({ ...columns('Fact'), where: await visibleFact(prisma, viewer, id) }),
      )
    case 'learning':
      return brand('Learning', await prisma.learning.findFirst({ ...columns('Learning'), where }))
    case 'question':
      return brand(
        'Question',
        await prisma.question.findFirst({ ...columns('Question'), where: visibleQuestion(viewer, id) }),
      )
    case 'schedule':
      return brand(
        'Schedule',
        await prisma.schedule.findFirst({ ...columns('Schedule'), where: visibleSchedule(viewer, id) }),
      )
    case 'scheduleRun':
      return brand(
        'ScheduleRun',
        await prisma.scheduleRun.findFirst({ ...columns('ScheduleRun'), where: visibleScheduleRun(viewer, id) }),
      )
    case 'conversationEntry':
      return brandEntry(await findEntry(context, id))
    case 'audit':
      return viewer.role === 'ADMIN' ? brandAudit(await readAuditEntry(context.database, id)) : null
    default:
      return brand(
        'Session',
        await prisma.session.findFirst({ ...columns('Session'), where: visibleSession(viewer, id) }),
      )
  }
}

async function findEntry({ database, viewer }: GraphQLContext, id: string): Promise<Entry | null> {
  const { messageId, taskId } = rowIdsOf(id)
  const { prisma } = database
  const message = await prisma.message.findFirst({
    where: inVisibleSession(viewer, messageId),
    select: { sessionId: true, seq: true },
  })
  if (message !== null) return orNull(await readEntryAt(database, message.sessionId, message.seq))
  const task = await prisma.task.findFirst({ where: inVisibleSession(viewer, taskId), select: { id: true } })
  return task === null ? null : orNull(await readTextOf(database, task.id))
}

function orNull(key: EntryKey | null): Entry | null {
  return key === null ? null : entryOf(key)
}

function brandEntry(entry: Entry | null): Row | null {
  return entry === null ? null : brand(entryTypeName(entry), entry)
}

function brandAudit(entry: StoredAuditEntry | null): Row | null {
  return entry === null ? null : brand(auditTypeName(entry), entry)
}

/** Tells GraphQL which type the row is of. */
function brand(typeName: string, row: Row | null): Row | null {
  brandWithType(row, typeName as never)
  return row
}
