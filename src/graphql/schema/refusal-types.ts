/**
 * Refusals as the API shows them: one object type per kind, all implementing Error. The only place that maps the two.
 */
import type { InputIssue, Refusal } from '../../core/refusal.ts'
import { AUTHENTICATED } from './access.ts'
import type { ObjectRef } from '@pothos/core'
import { builder, type BuilderTypes } from './builder.ts'
import { ALL_STORED } from './paging/page-sizes.ts'

type RefusalOf<Kind extends Refusal['kind']> = Extract<Refusal, { kind: Kind }>

/** Kind of refusal → its code and its type. */
const SHOWN_AS = {
  InvalidInput: { code: 'INVALID_INPUT', type: 'InvalidInputError' },
  NotFound: { code: 'NOT_FOUND', type: 'NotFoundError' },
  Conflict: { code: 'CONFLICT', type: 'ConflictError' },
  LimitExceeded: { code: 'LIMIT_EXCEEDED', type: 'LimitExceededError' },
} as const satisfies Record<Refusal['kind'], { code: string; type: string }>

/** The name of the type that shows an outcome of this kind, or null when it is no refusal. */
export function refusalTypeName(kind: string): string | null {
  return Object.hasOwn(SHOWN_AS, kind) ? SHOWN_AS[kind as Refusal['kind']].type : null
}

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'What kind of refusal it is: one per type that implements Error.',
  values: {
    INVALID_INPUT: { description: 'The input breaks a rule: change it.' },
    NOT_FOUND: { description: 'There is no such thing that you may see.' },
    CONFLICT: { description: 'The thing is not in a state that allows this.' },
    LIMIT_EXCEEDED: { description: 'A limit is reached: try again later, or make room.' },
  } as const,
})

const ErrorInterface = builder.interfaceRef<Refusal>('Error').implement({
  description: 'Why a mutation was refused. Nothing was changed.',
  resolveType: (refusal) => SHOWN_AS[refusal.kind].type,
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'For programs.',
      resolve: (refusal) => SHOWN_AS[refusal.kind].code,
    }),
    message: t.exposeString('message', { description: 'For people: what is wrong, and what would be right.' }),
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
    message: t.exposeString('message', { description: 'What is wrong there, and what would be right.' }),
  }),
})

const InvalidInputError = builder.objectRef<RefusalOf<'InvalidInput'>>('InvalidInputError').implement({
  description: 'The input breaks a rule.',
  interfaces: [ErrorInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    issues: t.field({
      type: [InputIssueType],
      extensions: ALL_STORED,
      description: 'Everything that is wrong with it.',
      resolve: (error) => [...error.issues],
    }),
  }),
})

const NotFoundError = builder.objectRef<RefusalOf<'NotFound'>>('NotFoundError').implement({
  description: 'There is no such thing; also what a caller gets who may not see it.',
  interfaces: [ErrorInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id that was asked for.' }) }),
})

const ConflictError = builder.objectRef<RefusalOf<'Conflict'>>('ConflictError').implement({
  description: 'The thing is not in a state that allows this: already running, already over, already used.',
  interfaces: [ErrorInterface],
  authScopes: AUTHENTICATED,
})

const LimitExceededError = builder.objectRef<RefusalOf<'LimitExceeded'>>('LimitExceededError').implement({
  description: 'A limit is reached.',
  interfaces: [ErrorInterface],
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'The limit.' }),
    current: t.exposeInt('current', { description: 'How much of it is used.' }),
    retryAfterMs: t.exposeInt('retryAfterMs', {
      nullable: true,
      description: 'After how many milliseconds it may work; null when that cannot be told.',
    }),
  }),
})

/** Kind of refusal → the type that shows it. */
export const REFUSAL_TYPES: Readonly<Record<Refusal['kind'], ObjectRef<BuilderTypes, Refusal>>> = {
  InvalidInput: InvalidInputError,
  NotFound: NotFoundError,
  Conflict: ConflictError,
  LimitExceeded: LimitExceededError,
}
