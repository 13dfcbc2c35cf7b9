/**
 * The events of a session's log as GraphQL types, one per member of the union in src/core/session-event.ts. Scalars
 * come from the event itself, without a promise or a read: one execution serves all subscribers with the same
 * selection, thousands of times a second. Objects (session, turn, task …) are loaded as they are now, many in one
 * statement, so that a client's cache is right after each event without asking for anything else.
 */
import type { LogEntry } from '../../live/log-view.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { readUploadsById } from '../file/read-files.ts'
import { UploadedFileType } from '../file/session-file.ts'
import { loadAt } from '../paging/load-at.ts'
import {
  CheckpointTriggerEnum,
  OutputStreamEnum,
  PipelineStepEnum,
  ReviewVerdictEnum,
  TaskStatusEnum,
  TurnStatusEnum,
} from '../enums.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { ApprovalRow } from '../approval/approval.ts'
import { DelegationRow } from '../delegation/delegation.ts'
import { LearningRow } from '../learning/learning.ts'
import { SessionRow } from './session.ts'
import { TurnRow } from '../turn/turn.ts'
import { MessageRow } from '../message/message.ts'
import { PlanRow } from '../turn/plan.ts'
import { TaskRow } from '../turn/task.ts'
import { stillThere } from '../still-there.ts'
import { UsageType } from '../turn/usage.ts'
import { toShownMs } from '../values/duration-ms.ts'

export type EventOf<Type extends LogEntry['type']> = Extract<LogEntry, { type: Type }>

/** The object type that shows the entry. */
export function typeNameOf({ type }: LogEntry): string {
  return type === 'SessionSnapshot' ? type : `${type}Event`
}

export const SessionEventInterface = builder.interfaceRef<LogEntry>('SessionEvent').implement({
  description: "An entry of a session's log. The log is complete and in the order in which things happened.",
  resolveType: typeNameOf,
  fields: (t) => ({
    seq: t.exposeInt('seq', {
      description: 'Its place in the log, strictly increasing. Gaps mean nothing. Resume with "after".',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.'),
    turn: TurnRow.fieldOrNull(
      t,
      ({ turnId }) => turnId,
      'The turn it belongs to, as it is now; null when it happened outside one.',
    ),
    sessionId: t.exposeID('sessionId', { description: 'The session whose log it is in.' }),
    turnId: t.exposeID('turnId', {
      nullable: true,
      description: 'The turn it belongs to; null when it happened outside one.',
    }),
  }),
})

builder.objectRef<EventOf<'SessionSnapshot'>>('SessionSnapshot').implement({
  description:
    'The first event of a subscription without "after", or with one from before what retention removed: the session as it is; what ' +
    'comes after seq follows.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    removedUpTo: t.exposeInt('removedUpTo', {
      nullable: true,
      description:
        'Null: nothing is missing. Else things were removed for their age since "after", from what came up to this seq: read anew what ' +
        'you have kept. What is left of it follows.',
    }),
  }),
})

builder.objectRef<EventOf<'SessionUpdated'>>('SessionUpdatedEvent').implement({
  description: 'Description, metadata, participants, questions or status changed outside a turn.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    erased: t.boolean({
      description: 'What a user had said was erased, here and in the events before this: read anew what you have kept.',
      resolve: ({ erased }) => erased === true,
    }),
  }),
})

export const MessageReceivedEvent = builder.objectRef<EventOf<'MessageReceived'>>('MessageReceivedEvent').implement({
  description: 'A message was accepted.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    message: MessageRow.field(t, ({ messageId }) => messageId, 'The message as it is now.'),
  }),
})

export const MessageUpdatedEvent = builder.objectRef<EventOf<'MessageUpdated'>>('MessageUpdatedEvent').implement({
  description:
    'A message that waited waits no more, because its turn begins or another one has taken it along (its turn is JOINED); it waits ' +
    'again; it was edited or withdrawn; or a secret was taken out of it.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    message: MessageRow.field(t, ({ messageId }) => messageId, 'The message as it is now.'),
  }),
})

builder.objectRef<EventOf<'FileReceived'>>('FileReceivedEvent').implement({
  description: 'A person put a file into the session.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    file: t.field({
      type: UploadedFileType,
      nullable: true,
      description: 'The file as it is now; null when it is gone.',
      resolve: async ({ fileId }, _args, context, info) =>
        (await loadAt({ context, info }, fileId, (ids) => readUploadsById(context.database, ids))) ?? null,
    }),
  }),
})

builder.objectRef<EventOf<'Plugin'>>('PluginEvent').implement({
  description: 'A plugin has recorded something of its own.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    plugin: t.exposeString('plugin', { description: 'The name of the plugin.' }),
    name: t.exposeString('name', { description: 'What it is, in a word of the plugin.' }),
    data: t.field({
      type: 'JSON',
      description:
        'What the plugin says of it: from outside, never to be taken for the server. Null also when it was erased.',
      nullable: true,
      resolve: ({ json }) => JSON.parse(json) as unknown,
    }),
  }),
})

export const PipelineStepEvent = builder.objectRef<EventOf<'PipelineStep'>>('PipelineStepEvent').implement({
  description: 'A turn has reached a step.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    step: t.expose('step', { type: PipelineStepEnum, description: 'The step that begins.' }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'More about it for people, such as the name of the model.',
    }),
  }),
})

builder.objectRef<EventOf<'PlanCreated'>>('PlanCreatedEvent').implement({
  description: 'A plan was accepted and its tasks were stored.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    plan: PlanRow.field(t, ({ planId }) => planId, 'The plan, with its tasks as they are now.'),
  }),
})

builder.objectRef<EventOf<'TaskUpdate'>>('TaskUpdateEvent').implement({
  description: 'The status of a task changed.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    taskId: t.exposeID('taskId', { description: 'The task.' }),
    taskStatus: t.expose('status', { type: TaskStatusEnum, description: 'The status it took.' }),
    task: TaskRow.field(
      t,
      ({ taskId }) => taskId,
      'The task as it is now, which may be further than what tells of it.',
    ),
  }),
})

builder.objectRef<EventOf<'TaskOutput'>>('TaskOutputEvent').implement({
  description: 'A piece of what a running command prints.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    taskId: t.exposeID('taskId', { description: 'The task whose command prints.' }),
    task: TaskRow.field(
      t,
      ({ taskId }) => taskId,
      'The task as it is now, which may be further than what tells of it.',
    ),
    stream: t.expose('stream', { type: OutputStreamEnum, description: 'Where it printed.' }),
    text: t.exposeString('text', { description: 'The next piece; joined in order of seq, the pieces are the output.' }),
  }),
})

export const TextEventInterface = builder.interfaceRef<EventOf<'TextDelta' | 'TextCompleted'>>('TextEvent').implement({
  description: 'What the agent says: pieces while a text is being written, then the whole text, once.',
  interfaces: [SessionEventInterface],
  resolveType: typeNameOf,
  fields: (t) => ({
    taskId: t.exposeID('taskId', { description: 'The MSG task that writes the text.' }),
    task: TaskRow.field(
      t,
      ({ taskId }) => taskId,
      'The task as it is now, which may be further than what tells of it.',
    ),
  }),
})

builder.objectRef<EventOf<'TextDelta'>>('TextDeltaEvent').implement({
  description:
    'The next piece of a text that is being written. Pieces leave the log when the whole text is there. A TaskUpdateEvent with ' +
    'RUNNING for the same task begins the text anew: drop what came before.',
  interfaces: [SessionEventInterface, TextEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    delta: t.exposeString('delta', { description: 'What to append to the pieces before it.' }),
  }),
})

export const TextCompletedEvent = builder.objectRef<EventOf<'TextCompleted'>>('TextCompletedEvent').implement({
  description: 'A text is whole: it takes the place of its pieces.',
  interfaces: [SessionEventInterface, TextEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    content: t.exposeString('content', { description: 'The whole text.' }),
    final: t.exposeBoolean('final', { description: 'The last MSG of a plan that ended well: the answer.' }),
    attempt: t.exposeInt('attempt', {
      description: 'How often the text was begun: more than 1 when a process died while it was being written.',
    }),
  }),
})

builder.objectRef<EventOf<'Thinking'>>('ThinkingEvent').implement({
  description:
    'What the model shows of its reasoning, in mode CHAT: pieces while it thinks, then the whole, once; pieces leave the log then, and ' +
    'the whole when a plugin that keeps it (activity) says, or with the end of the turn. It is no part of any answer.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    thinkingId: t.exposeID('thinkingId', { description: 'What pieces and whole of one thought share.' }),
    delta: t.string({
      description: 'The next piece; empty when this is the whole.',
      resolve: ({ delta }) => delta ?? '',
    }),
    content: t.string({
      description: 'The whole; empty when this is a piece.',
      resolve: ({ content }) => content ?? '',
    }),
    isWhole: t.boolean({
      description: 'Whether this is the whole, in place of its pieces.',
      resolve: ({ content }) => content !== null,
    }),
  }),
})

builder.objectRef<EventOf<'TaskProgress'>>('TaskProgressEvent').implement({
  description: 'How far a call of a tool is, as the tool says; at most four times a second for each task.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    taskId: t.exposeID('taskId', { description: 'The task that calls it.' }),
    task: TaskRow.field(
      t,
      ({ taskId }) => taskId,
      'The task as it is now, which may be further than what tells of it.',
    ),
    done: t.exposeFloat('done', { description: "How much is done, in a unit of the tool's own." }),
    total: t.exposeFloat('total', {
      nullable: true,
      description: 'How much there is to do; null when it is not known.',
    }),
    progressMessage: t.exposeString('message', { nullable: true, description: 'What the tool says of it.' }),
  }),
})

builder.objectRef<EventOf<'Review'>>('ReviewEvent').implement({
  description: 'The reviewer has judged a command that has ended.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    taskId: t.exposeID('taskId', { description: 'The task it judged.' }),
    task: TaskRow.field(
      t,
      ({ taskId }) => taskId,
      'The task as it is now, which may be further than what tells of it.',
    ),
    verdict: t.expose('verdict', { type: ReviewVerdictEnum, description: 'Whether the result is good enough.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why; always there with REPLAN.' }),
    learning: LearningRow.fieldOrNull(
      t,
      ({ learningId }) => learningId,
      'What was learned from it, as it is now; null when nothing new was.',
    ),
  }),
})

builder.objectRef<EventOf<'Approval'>>('ApprovalEvent').implement({
  description: 'An approval is asked for, or was decided, or is no longer waited for; its status tells.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    approval: ApprovalRow.field(t, ({ approvalId }) => approvalId, 'The approval as it is now.'),
  }),
})

builder.objectRef<EventOf<'Delegation'>>('DelegationEvent').implement({
  description:
    'A task is given to a session of its own, is sent there, goes another round, or has ended; its status tells.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    delegation: DelegationRow.field(t, ({ delegationId }) => delegationId, 'The delegated task as it is now.'),
  }),
})

builder.objectRef<EventOf<'TurnPaused'>>('TurnPausedEvent').implement({
  description: 'A turn waits. It goes on by itself when what it waits for has come, also after a restart.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    pausedReason: t.exposeString('reason', {
      description: 'What it waits for and what can be done about it, for people.',
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it goes on at the latest; null when that is not known.',
      resolve: ({ until }) => (until === null ? null : new Date(until)),
    }),
  }),
})

builder.objectRef<EventOf<'Checkpoint'>>('CheckpointEvent').implement({
  description:
    'The introspector has gone over what was said since the last checkpoint: what it learned, its working memory and perhaps the ' +
    'description are stored. It belongs to no turn.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    checkpointTrigger: t.expose('reason', { type: CheckpointTriggerEnum, description: 'Why it was made.' }),
    ok: t.exposeBoolean('ok', {
      description: 'False: it failed and changed nothing; it is tried again after growing pauses, then given up.',
    }),
    failure: t.exposeString('failure', { nullable: true, description: 'Why it failed, for people; null when ok.' }),
  }),
})

builder.objectRef<EventOf<'TurnCompleted'>>('TurnCompletedEvent').implement({
  description: 'A turn has ended: always its last event, also after failure and cancel.',
  interfaces: [SessionEventInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    turnStatus: t.expose('status', { type: TurnStatusEnum, description: 'How it ended: DONE, FAILED or CANCELLED.' }),
    message: t.prismaField({
      type: 'Message',
      description: 'The message that the turn has processed, as it is now.',
      resolve: (query, { turnId: id }, _args, { database }) =>
        stillThere(
          messageOfTurn(database.prisma.turn.findUnique({ where: { id: id ?? '' }, select: { message: query } })),
        ),
    }),
    commandsHandled: t.stringList({
      extensions: ALL_STORED,
      description:
        'The names of the commands that plugins have handled: one that its user typed as the first line, and those that the model wrote.',
      resolve: (event) => [...event.commandsHandled],
    }),
    durationMs: t.int({
      description: 'Milliseconds from begin to end; 2147483647 for what took longer.',
      resolve: ({ durationMs }) => toShownMs(durationMs),
    }),
    usage: t.expose('usage', { type: UsageType, description: 'What its model calls have cost.' }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why it failed, for people; null unless it did. A TextCompletedEvent before it has said the same.',
    }),
  }),
})

async function messageOfTurn<Row>(turn: Promise<{ readonly message: Row } | null>): Promise<Row | null> {
  return (await turn)?.message ?? null
}
