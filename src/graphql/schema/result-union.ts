/** The result of a mutation: its payload, or one of the refusals that can happen. */
import type { ObjectRef } from '@pothos/core'
import type { Refusal } from '../../core/refusal.ts'
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
      if (isNotFound(outcome))
        context.denials.absent(context.viewer, `${info.parentType.name}.${info.fieldName}`, outcome.id)
      return refusalTypeName(outcome.kind) ?? payload.name
    },
  })
}

function isNotFound(outcome: Outcome): outcome is Extract<Refusal, { kind: 'NotFound' }> {
  return outcome.kind === 'NotFound'
}
