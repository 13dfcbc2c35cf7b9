/** The types of a session's events as clients name them, to ask for some of them. */
import type { SessionEventType } from '../../../core/session-event.ts'
import { builder } from '../builder.ts'

export const SessionEventTypeEnum = builder.enumType('SessionEventType', {
  description: "A type of event in a session's log.",
  values: {
    MESSAGE_RECEIVED: { value: 'MessageReceived', description: 'MessageReceivedEvent.' },
    MESSAGE_UPDATED: { value: 'MessageUpdated', description: 'MessageUpdatedEvent.' },
    SESSION_UPDATED: { value: 'SessionUpdated', description: 'SessionUpdatedEvent.' },
    PLUGIN: { value: 'Plugin', description: 'PluginEvent.' },
    FILE_RECEIVED: { value: 'FileReceived', description: 'FileReceivedEvent.' },
    PIPELINE_STEP: { value: 'PipelineStep', description: 'PipelineStepEvent.' },
    PLAN_CREATED: { value: 'PlanCreated', description: 'PlanCreatedEvent.' },
    TASK_UPDATE: { value: 'TaskUpdate', description: 'TaskUpdateEvent.' },
    TASK_OUTPUT: { value: 'TaskOutput', description: 'TaskOutputEvent.' },
    TEXT_DELTA: { value: 'TextDelta', description: 'TextDeltaEvent.' },
    TEXT_COMPLETED: { value: 'TextCompleted', description: 'TextCompletedEvent.' },
    THINKING: { value: 'Thinking', description: 'ThinkingEvent.' },
    TASK_PROGRESS: { value: 'TaskProgress', description: 'TaskProgressEvent.' },
    REVIEW: { value: 'Review', description: 'ReviewEvent.' },
    APPROVAL: { value: 'Approval', description: 'ApprovalEvent.' },
    DELEGATION: { value: 'Delegation', description: 'DelegationEvent.' },
    TURN_PAUSED: { value: 'TurnPaused', description: 'TurnPausedEvent.' },
    CHECKPOINT: { value: 'Checkpoint', description: 'CheckpointEvent.' },
    TURN_COMPLETED: { value: 'TurnCompleted', description: 'TurnCompletedEvent.' },
  } as const satisfies Readonly<Record<string, { readonly value: SessionEventType; readonly description: string }>>,
})

/** Of the argument `types`; null: all. */
export function wantedTypes(
  types: readonly SessionEventType[] | null | undefined,
): ReadonlySet<SessionEventType> | null {
  return types == null || types.length === 0 ? null : new Set(types)
}
