/** One step of a plan, and what the reviewer said of it. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import type { ReviewVerdict } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { readEnd, textOf } from './read-end.ts'
import { connectionType } from '../paging/connection-type.ts'
import { durationMs } from '../values/duration-ms.ts'
import { ReviewVerdictEnum, TaskStatusEnum, TaskTypeEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'

interface Review {
  readonly taskId: string
  readonly verdict: ReviewVerdict
  readonly reason: string | null
}

const ReviewType = builder.objectRef<Review>('Review').implement({
  description: 'What the reviewer said of a command that has ended.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    verdict: t.expose('verdict', { type: ReviewVerdictEnum, description: 'Whether the result is good enough.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why; always there with REPLAN.' }),
    learning: t.prismaField({
      type: 'Learning',
      nullable: true,
      description: 'What was learned from it; null when nothing new was.',
      resolve: (query, { taskId }, _args, { database }) =>
        database.prisma.learning.findUnique({ ...query, where: { taskId } }),
    }),
  }),
})

const LAST_BYTES =
  'Only its end: as many bytes of UTF-8 as this at most, from 1, and whole characters. All when left out.'

export const TaskType = builder.prismaObject('Task', {
  description: 'One step of a plan. It is stored before anything runs.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "task_".' }),
    session: t.relation('session', { description: 'The session it belongs to.' }),
    turn: t.relation('turn', { description: 'The turn it belongs to.' }),
    plan: t.relation('plan', { description: 'The plan it belongs to.' }),
    index: t.exposeInt('index', { description: 'Its place in the plan, from 0.' }),
    type: t.expose('type', { type: TaskTypeEnum, description: 'What it does.' }),
    detail: t.exposeString('detail', {
      description: 'EXEC: the shell command. SKILL, TOOL: what it is called for. MSG: what the messenger is to write.',
    }),
    skill: t.exposeString('skill', { nullable: true, description: 'SKILL: its name. Otherwise null.' }),
    tool: t.exposeString('tool', {
      nullable: true,
      description: 'TOOL: its name, "<source>__<tool>". Otherwise null.',
    }),
    args: t.expose('args', {
      type: 'JSON',
      nullable: true,
      description: 'SKILL, TOOL: the arguments, with defaults filled in. Otherwise null.',
    }),
    expect: t.exposeString('expect', {
      nullable: true,
      description: 'EXEC, SKILL: what must hold for the result to be good. MSG: null.',
    }),
    status: t.expose('status', { type: TaskStatusEnum, description: 'How far it has come.' }),
    output: t.string({
      nullable: true,
      description: 'EXEC, SKILL: what the program printed to standard output. MSG: the text. Null until there is any.',
      args: { last: t.arg.int({ description: LAST_BYTES }) },
      select: ({ last }) => ({ id: true, output: last == null }),
      resolve: (task, { last }, context, info) =>
        last == null ? textOf(task, 'output') : readEnd(task.id, { column: 'output', bytes: last }, { context, info }),
    }),
    stderr: t.string({
      nullable: true,
      description: 'What the program printed to standard error. MSG: null.',
      args: { last: t.arg.int({ description: LAST_BYTES }) },
      select: ({ last }) => ({ id: true, stderr: last == null }),
      resolve: (task, { last }, context, info) =>
        last == null ? textOf(task, 'stderr') : readEnd(task.id, { column: 'stderr', bytes: last }, { context, info }),
    }),
    truncated: t.exposeBoolean('truncated', {
      description: 'The program printed more than 1 MiB; the rest was dropped.',
    }),
    exitCode: t.exposeInt('exitCode', {
      nullable: true,
      description: 'How the program exited; null when it did not, or for MSG.',
    }),
  }),
})

builder.prismaObjectFields(TaskType, (t) => ({
  final: t.exposeBoolean('final', { description: 'The last MSG of a plan that ended well: the answer.' }),
  suppressed: t.exposeBoolean('suppressed', {
    description: 'MSG: the agent chose to say nothing. There is no output, no TextCompletedEvent and no delivery.',
  }),
  review: t.field({
    type: ReviewType,
    nullable: true,
    description: 'What the reviewer said; null until then, and always for MSG.',
    select: { id: true, reviewVerdict: true, reviewReason: true },
    resolve: (task): Review | null =>
      task.reviewVerdict === null ? null : { taskId: task.id, verdict: task.reviewVerdict, reason: task.reviewReason },
  }),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it began; null until then.',
  }),
  finishedAt: t.expose('finishedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it ended; null until then.',
  }),
  durationMs: t.int({
    nullable: true,
    description: 'Milliseconds from begin to end; null until it has ended.',
    select: { startedAt: true, finishedAt: true },
    resolve: durationMs,
  }),
}))

export const TaskRow = row('Task', {
  kind: 'task',
  table: (prisma) => prisma.task,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: connectionType(TaskType, 'newest first'),
})
