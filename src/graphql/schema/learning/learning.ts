/**
 * What a review or a checkpoint learned: a candidate for a fact. It belongs to its session and is as visible as that.
 */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { AUTHENTICATED } from '../access.ts'
import { ActorInterface } from '../people/actor.ts'
import { actorNamed } from '../people/to-actor.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { SHORT_NUMBER } from '../fact/fact.ts'
import { FactScopeEnum } from '../fact/fact-enums.ts'
import { LearningFlagEnum, LearningSourceEnum, LearningStatusEnum } from './learning-enums.ts'
import { NodeInterface } from '../node.ts'

export const LearningType = builder.prismaObject('Learning', {
  description:
    'What a review or a checkpoint learned: a candidate for a fact, until the curator or an admin decides what becomes of it.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "learn_".' }),
    content: t.exposeString('content', {
      description: 'What was learned, in the words of the reviewer or the introspector.',
    }),
    status: t.expose('status', { type: LearningStatusEnum, description: 'What became of it.' }),
    source: t.expose('source', { type: LearningSourceEnum, description: 'Who learned it.' }),
    session: t.relation('session', { description: 'Where it was learned.' }),
    user: t.exposeString('userName', {
      nullable: true,
      description: 'The user whose message led to it; null at a checkpoint of turns of none, or of several.',
    }),
    turn: t.relation('turn', {
      nullable: true,
      description: 'The turn in which it was learned; null when a checkpoint learned it.',
    }),
    task: t.relation('task', {
      nullable: true,
      description: 'The task whose review learned it; null when a checkpoint learned it.',
    }),
    question: t.relation('question', {
      nullable: true,
      description: 'The question that it became, also when that is settled; null when there is none.',
    }),
    scope: t.field({
      type: FactScopeEnum,
      description: 'Whom the fact is shown that it may become, unless an admin says otherwise.',
      select: { scope: true },
      resolve: ({ scope }) => scope ?? 'SESSION',
    }),
    scopeOf: t.string({
      nullable: true,
      description: "PROJECT: the project's label. USER: the user's name. SESSION: its id. Null with GLOBAL.",
      select: { scope: true, scopeOf: true, sessionId: true },
      resolve: ({ scope, scopeOf, sessionId }) => (scope === null ? sessionId : scopeOf === '' ? null : scopeOf),
    }),
    held: t.exposeBoolean('held', {
      description: 'It is PENDING and waits for a person: no curator is asked. `flags` and `reason` say why.',
    }),
    flags: t.expose('flags', {
      type: [LearningFlagEnum],
      extensions: ALL_STORED,
      description: 'What was noticed about it.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was decided so, if anybody said so.' }),
    decidedBy: t.field({
      type: ActorInterface,
      nullable: true,
      description: 'Who decided: an admin, the curator, or, about an answer, the planner. Null while PENDING.',
      select: { decidedBy: true },
      resolve: ({ decidedBy }, _args, { config }) =>
        decidedBy === null ? null : actorNamed(config.current(), decidedBy),
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided; null while PENDING.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was learned.' }),
  }),
})

builder.prismaObjectField(LearningType, 'number', (t) => t.exposeInt('number', { description: SHORT_NUMBER }))

export const LearningRow = row('Learning', {
  kind: 'learning',
  table: (prisma) => prisma.learning,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: countedConnectionType(LearningType, 'newest first'),
})
