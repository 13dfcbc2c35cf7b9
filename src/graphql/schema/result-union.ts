/** The result of a mutation: its payload, or one of the refusals that can happen. */
import type { ObjectRef } from '@pothos/core'
import type { Refusal } from '../../core/refusal.ts'
import type { GraphQLContext } from '../context.ts'
import { builder, type BuilderTypes } from './builder.ts'
import { REFUSAL_TYPES, refusalTypeName } from './refusal-types.ts'

/** What a use case returns when it refused nothing; `kind` tells the two apart. */
interface Outcome {
  readonly kind: string
}

/**
 * `<name>Result` = `<name>Payload` | all types of refusals: one that a use case comes to return later is no type that
 * clients do not know.
 */
export function resultUnion<Payload extends Outcome>(name: string, payload: ObjectRef<BuilderTypes, Payload>) {
  return builder.unionType(`${name}Result`, {
    description: `What ${name} comes to: its payload, or why it was refused.`,
    types: [payload, ...REFUSAL_TYPES],
    resolveType: (outcome, context, info) => {
      auditDenial(outcome, context, `${info.parentType.name}.${info.fieldName}`)
      return refusalTypeName(outcome.kind) ?? payload.name
    },
  })
}

/** What an admin is not allowed is a matter of the thing's state, not of a right that they lack. */
function auditDenial(outcome: Outcome | Refusal, { denials, viewer }: GraphQLContext, field: string): void {
  if (isRefusal(outcome, 'NotFound')) denials.absent(viewer, field, outcome.id)
  if (isRefusal(outcome, 'Conflict') && outcome.reason === 'NOT_ALLOWED' && viewer.user?.role !== 'ADMIN')
    denials.forbidden(viewer, field, outcome.currentId)
}

function isRefusal<Kind extends Refusal['kind']>(
  outcome: Outcome,
  kind: Kind,
): outcome is Extract<Refusal, { kind: Kind }> {
  return outcome.kind === kind
}
