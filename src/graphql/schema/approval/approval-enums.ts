/** The states of approvals, as src/core/status.ts names them. `satisfies` makes a forgotten value a type error. */
import type { ApprovalKind, ApprovalScope, ApprovalStatus } from '../../../core/status.ts'
import { builder } from '../builder.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

export const ApprovalStatusEnum = builder.enumType('ApprovalStatus', {
  description: 'What became of an approval.',
  values: {
    PENDING: { description: 'Nobody has decided yet; its turn waits.' },
    APPROVED: { description: 'It may run.' },
    DENIED: { description: 'It may not run; the planner is told, and makes another plan.' },
    EXPIRED: { description: 'Nobody decided in time, which counts as denied.' },
    CANCELLED: { description: 'Its turn no longer waits for it: it was cancelled, or its plan was given up.' },
  } as const satisfies Values<ApprovalStatus>,
})

export const ApprovalScopeEnum = builder.enumType('ApprovalScope', {
  description: 'For how long what was approved holds.',
  values: {
    ONCE: { description: 'For this task or plan.' },
    SESSION: {
      description: 'Also for commands that begin the same way, or the same skill, of the same user in this session.',
    },
  } as const satisfies Values<ApprovalScope>,
})

export const ApprovalKindEnum = builder.enumType('ApprovalKind', {
  description: 'What an approval is for.',
  values: {
    TASK: { description: 'One task.' },
    PLAN: { description: 'The whole plan of its task.' },
  } as const satisfies Values<ApprovalKind>,
})
