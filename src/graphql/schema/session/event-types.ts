/** The types of a session's events as clients name them, to ask for some of them. */
import { SESSION_EVENT_TYPES, type SessionEventType } from '../../../core/session-event.ts'
import { builder } from '../builder.ts'

/** TurnPaused is TURN_PAUSED. */
function nameOf(type: SessionEventType): string {
  return type.replaceAll(/(?<!^)[A-Z]/g, '_$&').toUpperCase()
}

export const SessionEventTypeEnum = builder.enumType('SessionEventType', {
  description: "A type of event in a session's log.",
  values: Object.fromEntries(
    SESSION_EVENT_TYPES.map((type) => [nameOf(type), { value: type, description: `${type}Event.` }]),
  ),
})

/** Of the argument `types`; null: all. */
export function wantedTypes(
  types: readonly SessionEventType[] | null | undefined,
): ReadonlySet<SessionEventType> | null {
  return types == null || types.length === 0 ? null : new Set(types)
}
