/** The processing of one message. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { connectionType } from '../paging/connection-type.ts'
import { durationMs } from '../values/duration-ms.ts'
import { PipelineStepEnum, SessionModeEnum, TurnStatusEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED, MOSTLY_ONE } from '../paging/page-sizes.ts'
import { USAGE_COLUMNS, usageOf, UsageType } from './usage.ts'

export const TurnType = builder.prismaObject('Turn', {
  description:
    'The processing of one message, or of several that one person sent: planning, tasks, reviews, answer. One turn of a session runs at a time.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "turn_".' }),
    session: t.relation('session', { description: 'The session it belongs to.' }),
    message: t.relation('message', { description: 'The message that it processes; with those of its joined turns.' }),
    mode: t.expose('mode', { type: SessionModeEnum, description: 'How it works, as its message was accepted.' }),
    status: t.expose('status', { type: TurnStatusEnum, description: 'How far it has come.' }),
    step: t.expose('step', {
      type: PipelineStepEnum,
      nullable: true,
      description: 'The step it has reached, as in PipelineStepEvent. Null until it begins.',
    }),
    failure: t.string({
      nullable: true,
      description:
        'Why it failed, for people; null unless it did. When that is for those who run the server to mend, people are told a ' +
        'sentence with a reference, and admins the rest.',
      select: { failure: true, failureDetail: true },
      resolve: ({ failure, failureDetail }, _args, { viewer }) =>
        viewer.role === 'ADMIN' ? (failureDetail ?? failure) : failure,
    }),
    cancelRequested: t.exposeBoolean('cancelRequested', {
      description: 'Its cancellation was asked for. It ends within a second or so; then its status tells.',
    }),
    pausedAt: t.expose('pausedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it waits, for an approval or for a budget; null when it does not.',
    }),
    pausedReason: t.exposeString('pausedReason', {
      nullable: true,
      description: 'What it waits for and what can be done about it, for people; null when it does not wait.',
    }),
    commandsHandled: t.exposeStringList('commandsHandled', {
      extensions: ALL_STORED,
      description:
        'The names of the commands that plugins have handled: one that its user typed as the first line, and those that the model wrote.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it began; null while it waits.',
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
    usage: t.field({
      type: UsageType,
      description: 'What its model calls have cost so far.',
      select: USAGE_COLUMNS,
      resolve: usageOf,
    }),
  }),
})

builder.prismaObjectFields(TurnType, (t) => ({
  plans: t.relation('plans', {
    extensions: MOSTLY_ONE,
    query: { orderBy: { attempt: 'asc' } },
    description: 'Its first plan, then one for each replan.',
  }),
  tasks: t.relation('tasks', {
    extensions: ALL_STORED,
    query: { orderBy: [{ plan: { attempt: 'asc' } }, { index: 'asc' }] },
    description: 'The tasks of all its plans, in their order.',
  }),
  joinedInto: t.relation('joinedInto', {
    nullable: true,
    description: 'The turn that has taken its message along, so that it has no plan of its own; null: it runs itself.',
  }),
  joined: t.relation('joined', {
    extensions: MOSTLY_ONE,
    query: { orderBy: { seq: 'asc' } },
    description:
      'Turns of the same user whose messages it has taken along (BusyPolicy, collect_window_ms), oldest first.',
  }),
  retryOf: t.relation('retryOf', {
    nullable: true,
    description:
      'The turn that failed or was cancelled, and of which this one is the second try; null: it is none (retryTurn).',
  }),
  retriedAs: t.relation('retriedAs', {
    nullable: true,
    description: 'Its second try, which may have one of its own; null: there is none.',
  }),
}))

export const TurnRow = row('Turn', {
  kind: 'turn',
  table: (prisma) => prisma.turn,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: connectionType(TurnType, 'oldest first in a session, newest first of a fact'),
})
