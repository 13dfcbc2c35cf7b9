/** Whether a task, or a whole plan, may run. Who may see its session may see it; who may decide, src/approvals says. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import type { Remembered } from '../../../core/approval-policy.ts'
import { AUTHENTICATED } from '../access.ts'
import { ActorInterface } from '../people/actor.ts'
import { actorNamed } from '../people/to-actor.ts'
import { ApprovalKindEnum, ApprovalScopeEnum, ApprovalStatusEnum } from './approval-enums.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

export const ApprovalType = builder.prismaObject('Approval', {
  description: 'The question whether a task, or a whole plan, may run. It is settled once; the first decision stands.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "appr_".' }),
    session: t.relation('session', { description: 'The session it belongs to.' }),
    turn: t.relation('turn', { description: 'The turn that asked.' }),
    task: t.relation('task', {
      description: 'What is to run, as it was changed with the decision. Of a PLAN: its first task with an effect.',
    }),
    kind: t.expose('kind', {
      type: ApprovalKindEnum,
      description: 'Whether it is for the task or for the whole plan.',
    }),
    status: t.expose('status', { type: ApprovalStatusEnum, description: 'What became of it.' }),
    reason: t.exposeString('reason', { description: 'Why it is asked for, for people.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Then it counts as denied.' }),
    decidedBy: t.field({
      type: ActorInterface,
      nullable: true,
      description: 'Who decided; null when nobody has, or nobody did in time.',
      select: { decidedBy: true },
      resolve: ({ decidedBy }, _args, { config }) =>
        decidedBy === null ? null : actorNamed(config.current(), decidedBy),
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was settled; null until then.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'What was said with the decision; the planner is told it, too.',
    }),
    scope: t.expose('scope', {
      type: ApprovalScopeEnum,
      nullable: true,
      description: 'For how long it holds; null unless it was approved.',
    }),
    remembered: t.stringList({
      extensions: ALL_STORED,
      description:
        'With SESSION: what need not be asked for again: "git push …" for commands that begin so, a whole command, or the name of a skill. Otherwise none.',
      select: { remembered: true },
      resolve: ({ remembered }) => ((remembered ?? []) as unknown as readonly Remembered[]).map(describe),
    }),
  }),
})

builder.prismaObjectField('Task', 'approval', (t) =>
  t.relation('approval', {
    nullable: true,
    description: 'Whether it may run; null when no approval was needed.',
  }),
)

function describe(remembered: Remembered): string {
  if (remembered.type === 'SKILL') return remembered.skill
  if (remembered.type === 'TOOL') return remembered.tool
  return [...remembered.words, ...(remembered.isWhole ? [] : ['…'])].join(' ')
}

export const ApprovalRow = row('Approval', {
  kind: 'approval',
  table: (prisma) => prisma.approval,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: countedConnectionType(ApprovalType, 'newest first'),
})
