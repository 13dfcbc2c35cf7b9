/**
 * What sessions may rely on. Who is shown a fact: facts-shown.ts. Where it comes from may be another session: that is
 * shown only to those who may see it. What it said before, and what went into it, may have been taken out of use for a
 * reason: that is admins'.
 */
import { row } from '../row.ts'
import { ifShown, visibleFact } from './facts-shown.ts'
import { nameOfScope } from '../../../core/knowledge/fact-scope.ts'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { ActorInterface } from '../people/actor.ts'
import { actorNamed } from '../people/to-actor.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { FactChangeEnum, FactScopeEnum, FactSourceEnum } from './fact-enums.ts'
import { loadAt } from '../paging/load-at.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { shownSessions } from '../session/session-visibility.ts'

/** What the field `number` says of itself. */
export const SHORT_NUMBER =
  'A short number for people, shown as #1284: given once in this database, and another one elsewhere.'

const FactVersionType = builder.prismaObject('FactVersion', {
  description: 'What was done to a fact, and what it said from then on.',
  authScopes: AUTHENTICATED,
  select: { version: true },
  fields: (t) => ({
    version: t.exposeInt('version', { description: '1 for the first, one more with each change.' }),
    content: t.exposeString('content', { description: 'What the fact says in this version.' }),
    change: t.expose('change', { type: FactChangeEnum, description: 'What was done.' }),
    changedBy: t.field({
      type: ActorInterface,
      description:
        'Who did it, under the name that they had then: a user, or a part of the server such as the curator.',
      select: { changedBy: true },
      resolve: ({ changedBy }, _args, { config }) => actorNamed(config.current(), changedBy),
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, if anybody said so.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    changeId: t.exposeID('changeId', {
      nullable: true,
      description: 'Of all that was done to facts at once: hand it to undoChange. Null: from before this was kept.',
    }),
  }),
})

export const FactType = builder.prismaObject('Fact', {
  description:
    'What the planner of every session in its scope may rely on. Nothing of it is ever lost: changes are its history.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true, sessionId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "fact_".' }),
    number: t.exposeInt('number', { description: SHORT_NUMBER }),
    content: t.exposeString('content', { description: 'What it says, 1 to 2000 characters.' }),
    source: t.expose('source', { type: FactSourceEnum, description: 'Who made it.' }),
    session: t.prismaField({
      type: 'Session',
      nullable: true,
      description: 'Where it comes from; null when from nowhere in particular, or from a session that you may not see.',
      resolve: async (query, { sessionId: id }, _args, context, info) => {
        const shown = id === null ? undefined : await loadAt({ context, info }, id, (ids) => shownOf(context, ids))
        if (id === null || shown === undefined) return null
        return context.database.prisma.session.findUnique({ ...query, where: { id } })
      },
    }),
    learning: t.prismaField({
      type: 'Learning',
      nullable: true,
      description: 'The learning that it was made of; null when of none, or of one in a session that you may not see.',
      resolve: async (query, fact, _args, context, info) => {
        const id = await loadAt({ context, info }, fact.id, (ids) => firstLearnings(context, ids))
        return id === undefined ? null : context.database.prisma.learning.findUnique({ ...query, where: { id } })
      },
    }),
    scope: t.expose('scope', { type: FactScopeEnum, description: 'Whom it is shown, in prompts and in answers.' }),
    scopeOf: t.string({
      nullable: true,
      description:
        "PROJECT: the project's label. USER: the user's name. SESSION: its id; null when it was deleted: then it is shown to nobody, until an admin widens it. Null with GLOBAL.",
      select: { scope: true, scopeOf: true },
      resolve: nameOfScope,
    }),
    version: t.exposeInt('version', { description: 'Raised by every change: hand it to editFact.' }),
    invalidatedAt: t.expose('invalidatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is in no prompt any more; null while it is in use.',
    }),
    validFrom: t.field({
      type: 'DateTime',
      description: 'Since when it holds, as far as is known: since it replaced another fact, or since it was made.',
      select: { validFrom: true, createdAt: true },
      resolve: ({ validFrom, createdAt }) => validFrom ?? createdAt,
    }),
    validTo: t.expose('validTo', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when it held; null while no other fact replaced it.',
    }),
    changeId: t.id({
      nullable: true,
      description:
        'The last change of it, for undoChange; null: from before this was kept. For admins; null for others.',
      select: { history: { select: { changeId: true, version: true }, orderBy: { version: 'desc' }, take: 1 } },
      resolve: ({ history }, _args, { viewer }) => (viewer.role === 'ADMIN' ? (history[0]?.changeId ?? null) : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

builder.prismaObjectField(FactType, 'reviewedAt', (t) =>
  t.expose('reviewedAt', {
    type: 'DateTime',
    nullable: true,
    description:
      'When a person has made it, rewritten it, or reviewed it (reviewFact) as it is now; null: none has so far.',
  }),
)

builder.prismaObjectField(FactType, 'reviewedBy', (t) =>
  t.field({
    type: ActorInterface,
    nullable: true,
    description: 'Who that was. For admins; null for others.',
    select: { reviewedBy: true },
    resolve: ({ reviewedBy }, _args, { config, viewer }) =>
      reviewedBy === null || viewer.role !== 'ADMIN' ? null : actorNamed(config.current(), reviewedBy),
  }),
)

builder.prismaObjectField(FactType, 'pinned', (t) =>
  t.exposeBoolean('pinned', {
    description:
      'No model replaces it, or proposes to merge, edit or drop it (setFactPinned); what speaks against it waits for a person.',
  }),
)

builder.prismaObjectField(FactType, 'history', (t) =>
  t.field({
    type: [FactVersionType],
    extensions: ALL_STORED,
    description: 'All its versions, oldest first. For admins; for others it is empty.',
    select: (_args, _context, nestedSelection) => ({ history: nestedSelection({ orderBy: { version: 'asc' } }) }),
    resolve: (fact, _args, { viewer }) => (viewer.role === 'ADMIN' ? fact.history : []),
  }),
)

builder.prismaObjectField(FactType, 'replaces', (t) =>
  t.field({
    type: [FactType],
    extensions: ALL_STORED,
    description: 'The facts that went into this one, oldest first. For admins; for others it is empty.',
    select: (_args, _context, nestedSelection) => ({ replaces: nestedSelection({ orderBy: { id: 'asc' } }) }),
    resolve: (fact, _args, { viewer }) => (viewer.role === 'ADMIN' ? fact.replaces : []),
  }),
)

builder.prismaObjectField(FactType, 'replacedBy', (t) =>
  t.field({
    type: FactType,
    nullable: true,
    description:
      'The fact that says it now, if it went into another one, or that holds in its place; null when you are not shown it.',
    select: (_args, _context, nestedSelection) => ({ replacedBy: nestedSelection(true) }),
    resolve: ({ replacedBy }, _args, context, info) => ifShown(replacedBy, { context, info }),
  }),
)

/** Those of the sessions that may be shown. */
async function shownOf(context: GraphQLContext, sessionIds: readonly string[]): Promise<Map<string, true>> {
  const where = { AND: [{ id: { in: [...sessionIds] } }, shownSessions(context)] }
  const rows = await context.database.prisma.session.findMany({ where, select: { id: true } })
  return new Map(rows.map(({ id }) => [id, true]))
}

/** Of each fact, the learning it was made of: the first, when others were found to say the same. */
async function firstLearnings(context: GraphQLContext, factIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await context.database.prisma.learning.findMany({
    where: { factId: { in: [...factIds] }, session: shownSessions(context) },
    select: { id: true, factId: true },
    orderBy: { id: 'desc' },
  })
  return new Map(rows.map(({ id, factId }) => [factId ?? '', id]))
}

export const FactRow = row('Fact', {
  kind: 'fact',
  table: (prisma) => prisma.fact,
  visible: visibleFact,
  connection: countedConnectionType(FactType, 'newest first'),
})
