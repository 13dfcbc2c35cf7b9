/**
 * Refusals as the API shows them: one object type per kind, all implementing Refusal. The only place that maps the two.
 */
import type { ConflictReason, InputIssue, Refusal } from '../../core/refusal.ts'
import { AUTHENTICATED } from './access.ts'
import type { ObjectRef } from '@pothos/core'
import { builder, type BuilderTypes } from './builder.ts'
import { NodeInterface } from './node.ts'
import { ALL_STORED } from './paging/page-sizes.ts'
import { findNode } from './row.ts'

type RefusalOf<Kind extends Refusal['kind']> = Extract<Refusal, { kind: Kind }>

/** Kind of refusal → its code and its type. */
const SHOWN_AS = {
  InvalidInput: { code: 'INVALID_INPUT', type: 'InvalidInputRefusal' },
  NotFound: { code: 'NOT_FOUND', type: 'NotFoundRefusal' },
  Conflict: { code: 'CONFLICT', type: 'ConflictRefusal' },
  LimitExceeded: { code: 'LIMIT_EXCEEDED', type: 'LimitExceededRefusal' },
} as const satisfies Record<Refusal['kind'], { code: string; type: string }>

/** The name of the type that shows an outcome of this kind, or null when it is no refusal. */
export function refusalTypeName(kind: string): string | null {
  return Object.hasOwn(SHOWN_AS, kind) ? SHOWN_AS[kind as Refusal['kind']].type : null
}

const RefusalCodeEnum = builder.enumType('RefusalCode', {
  description: 'What kind of refusal it is: one per type that implements Refusal.',
  values: {
    INVALID_INPUT: { description: 'The input breaks a rule: change it.' },
    NOT_FOUND: { description: 'There is no such thing that you may see.' },
    CONFLICT: { description: 'The thing is not in a state that allows this.' },
    LIMIT_EXCEEDED: { description: 'A limit is reached: try again later, or delete what is no longer needed.' },
  } as const,
})

const RefusalInterface = builder.interfaceRef<Refusal>('Refusal').implement({
  description: 'Why a mutation was refused. Nothing was changed.',
  resolveType: (refusal) => SHOWN_AS[refusal.kind].type,
  fields: (t) => ({
    code: t.field({
      type: RefusalCodeEnum,
      description: 'For programs.',
      resolve: (refusal) => SHOWN_AS[refusal.kind].code,
    }),
    problem: t.exposeString('message', { description: 'For people: what is wrong, and what would be right.' }),
  }),
})

const InputIssueType = builder.objectRef<InputIssue>('InputIssue').implement({
  description: 'One thing that is wrong with the input.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    path: t.stringList({
      extensions: ALL_STORED,
      description: 'Where: names of arguments and fields, and positions in lists, from the outside in.',
      resolve: (issue) => [...issue.path],
    }),
    problem: t.exposeString('message', { description: 'What is wrong there, and what would be right.' }),
  }),
})

const InvalidInputType = builder.objectRef<RefusalOf<'InvalidInput'>>('InvalidInputRefusal').implement({
  description: 'The input breaks a rule.',
  interfaces: [RefusalInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    issues: t.field({
      type: [InputIssueType],
      extensions: ALL_STORED,
      description: 'Everything that is wrong with it.',
      resolve: (refusal) => [...refusal.issues],
    }),
  }),
})

const NotFoundType = builder.objectRef<RefusalOf<'NotFound'>>('NotFoundRefusal').implement({
  description: 'There is no such thing; also what a caller gets who may not see it.',
  interfaces: [RefusalInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({ missingId: t.exposeID('id', { description: 'The id, or the name, that was asked for.' }) }),
})

const ConflictReasonEnum = builder.enumType('ConflictReason', {
  description: 'What kind of conflict it is. Further values may come.',
  values: {
    NOT_ALLOWED: { description: 'It is for others: the opener of the session, the sender, those who decide, admins.' },
    ALREADY_DECIDED: {
      description: 'The approval, learning or question was settled before; the first decision stands.',
    },
    BUSY: { description: 'Work is under way that must end first.' },
    NOT_WAITING: { description: 'The message waits no longer, or never did.' },
    NOT_FAILED: { description: 'The turn has not failed and was not cancelled: it waits, runs, or has answered.' },
    NOTHING_TO_DO: { description: 'There is nothing that this would change.' },
    SAME_EXISTS: { description: 'Another fact or open question says the same: current.' },
    KEY_REUSED: {
      description: 'The key or id of the message was used for another message, or that one was edited since: current.',
    },
    STALE_VERSION: {
      description: 'It was changed after the version that you have seen: read current, then try again.',
    },
    INVALIDATED: { description: 'The fact is in use no longer; restore it first.' },
    WRONG_TYPE: {
      description: 'Sessions of this type do not allow it, or it names another type than the session has.',
    },
    NO_WEBHOOK: { description: 'The session has no webhook any more.' },
    NAME_TAKEN: { description: 'The name is in use, or was: choose another.' },
    DECLARED: { description: 'config.toml declares it, and it is changed only there.' },
    LAST_ADMIN: { description: 'No admin with a token would be left.' },
    USER_UNKNOWN: { description: 'The user whose it is left the configuration.' },
    UNREADABLE: { description: 'A file of the deployment cannot be read; nothing was changed.' },
  } as const satisfies Record<ConflictReason, { readonly description: string }>,
})

const ConflictType = builder.objectRef<RefusalOf<'Conflict'>>('ConflictRefusal').implement({
  description: 'The thing is not in a state that allows this: already running, already over, already used.',
  interfaces: [RefusalInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    reason: t.expose('reason', { type: ConflictReasonEnum, description: 'For programs: what kind of conflict it is.' }),
    current: t.field({
      type: NodeInterface,
      nullable: true,
      description:
        'What stands in the way, as it is now: the thing itself, or the other one that is the same. Null when there is none that ' +
        'you may see.',
      resolve: ({ currentId }, _args, context, info) =>
        currentId === null ? null : findNode(currentId, context, info),
    }),
  }),
})

const LimitExceededType = builder.objectRef<RefusalOf<'LimitExceeded'>>('LimitExceededRefusal').implement({
  description: 'A limit is reached.',
  interfaces: [RefusalInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    limit: t.expose('limit', { type: 'Count', description: 'The limit.' }),
    used: t.expose('current', { type: 'Count', description: 'How much of it is used.' }),
    retryAfterMs: t.exposeInt('retryAfterMs', {
      nullable: true,
      description: 'After how many milliseconds it may work; null when that cannot be told.',
    }),
  }),
})

/** All that implement Refusal. */
export const REFUSAL_TYPES: readonly ObjectRef<BuilderTypes, Refusal>[] = [
  InvalidInputType,
  NotFoundType,
  ConflictType,
  LimitExceededType,
]
