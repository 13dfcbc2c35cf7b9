/**
 * Session.view: all that a page shows of a session besides the conversation, as of one moment. Pages that read it at
 * the same `version` agree, and a client that follows sessionEvents from that version on misses nothing. What it shows
 * belongs to the session, like everything below one; the reading is in read-session-views.ts.
 */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { ApprovalType } from '../approval/approval.ts'
import { builder } from '../builder.ts'
import { PipelineStepEnum, SessionStatusEnum } from '../enums.ts'
import { loadAt } from '../paging/load-at.ts'
import { MessageType } from '../message/message.ts'
import { upTo } from '../paging/page-sizes.ts'
import { PlanType } from '../turn/plan.ts'
import { QuestionType } from '../question/question.ts'
import { MAX_OUTPUT_CHARS, readOutputs } from '../turn/read-outputs.ts'
import {
  MAX_LISTED,
  readSessionViews,
  type ActiveTurnData,
  type QueuedMessageData,
  type Selection,
  type SessionViewData,
  type TurnProgressData,
  type ViewSelections,
} from './read-session-views.ts'
import { SessionType } from './session.ts'
import { stillThere } from '../still-there.ts'
import { TaskType } from '../turn/task.ts'
import { TurnType } from '../turn/turn.ts'
import { usageOf, UsageType } from '../turn/usage.ts'

const TurnProgressType = builder.objectRef<TurnProgressData>('TurnProgress').implement({
  description: 'How far the current plan of a turn has come.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    done: t.exposeInt('done', { description: 'Tasks of the plan that are DONE.' }),
    total: t.exposeInt('total', { description: 'All tasks of the plan; 0 until there is one.' }),
    task: t.field({
      type: TaskType,
      nullable: true,
      description: 'The task that is RUNNING or AWAITING_APPROVAL, the first of them; null while none is.',
      resolve: ({ task }) => task,
    }),
    output: t.string({
      nullable: true,
      description:
        'What this task has written so far: its text, or what its program has printed, put together from the events up to ' +
        `version. The last ${MAX_OUTPUT_CHARS} characters; null when there is nothing.`,
      resolve: async ({ output }, _args, context, info) => {
        if (output === null) return null
        return (await loadAt({ context, info }, output, (places) => readOutputs(context.database, places))) ?? null
      },
    }),
  }),
})

const ActiveTurnType = builder.objectRef<ActiveTurnData>('ActiveTurn').implement({
  description: 'The turn that a session is at, and how far it has come.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    turn: t.field({ type: TurnType, description: 'The turn.', resolve: ({ turn }) => turn }),
    step: t.expose('step', {
      type: PipelineStepEnum,
      nullable: true,
      description: 'The step it has reached. Null until it begins.',
    }),
    plan: t.field({
      type: PlanType,
      nullable: true,
      description: 'The plan that it follows: its newest one. Null until there is one.',
      resolve: ({ plan }) => plan,
    }),
    progress: t.field({
      type: TurnProgressType,
      description: 'How far the plan has come.',
      resolve: ({ progress }) => progress,
    }),
  }),
})

const QueuedMessageType = builder.objectRef<QueuedMessageData>('QueuedMessage').implement({
  description: 'A message that waits for its turn.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    position: t.exposeInt('position', { description: 'Its place: 0 = next to run.' }),
    message: t.field({ type: MessageType, description: 'The message.', resolve: ({ message }) => message }),
  }),
})

const SessionViewType = builder.objectRef<SessionViewData>('SessionView').implement({
  description:
    'What a page shows of a session besides the conversation, as of one moment. Read it, then subscribe to ' +
    'sessionEvents(after: version): nothing is missing and nothing comes twice. Who reads it at the same version sees the same turn, queue and approvals.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    version: t.exposeInt('version', {
      description: "seq of the session's newest event in that moment: hand it to sessionEvents(after:).",
    }),
    status: t.expose('status', { type: SessionStatusEnum, description: 'What the session is doing.' }),
    activeTurn: t.field({
      type: ActiveTurnType,
      nullable: true,
      description: 'The turn that runs or waits for approvals; null while none does.',
      resolve: ({ activeTurn }) => activeTurn,
    }),
    queueLength: t.exposeInt('queueLength', { description: 'All messages that wait, not counting the active turn.' }),
    queue: t.field({
      type: [QueuedMessageType],
      extensions: upTo(MAX_LISTED),
      description: `Messages that wait, next to run first. At most ${MAX_LISTED}.`,
      resolve: ({ queue }) => queue,
    }),
    approvals: t.field({
      type: [ApprovalType],
      extensions: upTo(MAX_LISTED),
      description: `What the turn waits for: its PENDING approvals, oldest first. At most ${MAX_LISTED}.`,
      resolve: ({ approvals }) => approvals,
    }),
    questions: t.field({
      type: [QuestionType],
      extensions: upTo(MAX_LISTED),
      description: `What is OPEN to be asked in this session, newest first. At most ${MAX_LISTED}.`,
      resolve: ({ questions }) => questions,
    }),
    usage: t.field({
      type: UsageType,
      description: 'What the model calls of all turns of the session have cost.',
      resolve: usageOf,
    }),
  }),
})

builder.prismaObjectField(SessionType, 'view', (t) =>
  t.field({
    type: SessionViewType,
    description: 'The session as it stands, for a page: what to show now, and from where to follow its events.',
    select: { id: true },
    resolve: (session, _args, context, info) => {
      const selections = selectionsOf(context, info)
      const view = loadAt({ context, info }, session.id, (ids) => readSessionViews(context.database, selections, ids))
      return stillThere(view.then((found) => found ?? null))
    },
  }),
)

/** What the document selects of the rows that the view shows, by the paths at which it shows them. */
function selectionsOf(context: GraphQLContext, info: GraphQLResolveInfo): ViewSelections {
  const at = (typeName: string, ...path: string[]): Selection =>
    queryFromInfo({ context, info, typeName, path, select: { id: true } })
  return {
    turn: at('Turn', 'activeTurn', 'turn'),
    plan: at('Plan', 'activeTurn', 'plan'),
    task: at('Task', 'activeTurn', 'progress', 'task'),
    message: at('Message', 'queue', 'message'),
    approval: at('Approval', 'approvals'),
    question: at('Question', 'questions'),
  }
}
