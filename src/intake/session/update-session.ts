/**
 * `updateSession`: changes a session's description, webhook, metadata, busy policy, time zone, model and instructions,
 * hides it or brings it back. Called by the GraphQL door.
 */
import type { Viewer } from '../../core/identity.ts'
import { refuseInput, type Refusal } from '../../core/refusal.ts'
import type { BusyPolicy, SessionMode } from '../../core/status.ts'
import { hideSecrets } from '../hide-secrets.ts'
import type { IntakeContext } from '../intake-context.ts'
import { applySessionChange, type SessionUpdated } from './session-change.ts'
import {
  descriptionIssues,
  instructionsIssues,
  instructionsOf,
  modelIssues,
  timeZoneIssues,
} from './session-description.ts'
import { refuseWebhook, webhookChange } from './session-webhook.ts'
import { metadataChange, metadataIssues, type MetadataObject } from './session-metadata.ts'

/** Which fields of a session are to change, unchecked. */
export interface UpdateSessionInput {
  readonly id: string
  /** Absent: as it is; null: none. */
  readonly description?: string | null | undefined
  /** Absent: as it is; null: none, and what waits to be posted is given up. */
  readonly webhook?: string | null | undefined
  /** A JSON object, merged key by key into what is there; null removes a key. */
  readonly metadata?: unknown
  /** Whether it is hidden from lists; only a session without work can be hidden. */
  readonly inactive?: boolean | null | undefined
  /** What becomes of a message that arrives while a turn runs. */
  readonly busyPolicy?: BusyPolicy | null | undefined
  /** How turns work whose messages are accepted from then on. */
  readonly mode?: SessionMode | null | undefined
  /** In which its agents are told times. Absent: as it is; null: the configuration's. */
  readonly timeZone?: string | null | undefined
  /** "provider:model" that plans and answers, from the next turn on. Absent: as it is; null: that of the roles. */
  readonly model?: string | null | undefined
  /** Said to who plans and answers. Absent: as they are; null: none. */
  readonly instructions?: string | null | undefined
}

/**
 * Changes all that is given, or with a refusal nothing: InvalidInput for a field, NotFound, Conflict for a caller who
 * is not the opener, or when a session with work is to be hidden. Repeating it changes nothing and makes no event.
 */
export async function updateSession(
  context: IntakeContext,
  viewer: Viewer,
  input: UpdateSessionInput,
): Promise<SessionUpdated | Refusal> {
  const refusal = refuseInput([
    ...descriptionIssues(input.description),
    ...metadataIssues(input.metadata),
    ...timeZoneIssues(input.timeZone),
    ...modelIssues(context.config.current(), input.model),
    ...instructionsIssues(input.instructions),
  ])
  if (refusal !== null) return refusal
  const webhookRefusal = await refuseWebhook(context, viewer, input.webhook)
  if (webhookRefusal !== null) return webhookRefusal
  const { description, instructions, metadata: said } = hideSecrets(context, input.id, input)
  const metadata = metadataChange(said as MetadataObject | null | undefined)
  return await applySessionChange(
    context,
    { viewer, sessionId: input.id, path: ['id'], acts: ['UPDATE'] },
    {
      setMetadata: metadata.set,
      dropMetadata: metadata.drop,
      ...(description === undefined ? {} : { description }),
      ...(input.webhook === undefined ? {} : { webhook: webhookChange(viewer, input.webhook) }),
      ...(input.inactive == null ? {} : { inactive: input.inactive }),
      ...(input.busyPolicy == null ? {} : { busyPolicy: input.busyPolicy }),
      ...(input.mode == null ? {} : { mode: input.mode }),
      ...(input.timeZone === undefined ? {} : { timeZone: input.timeZone }),
      ...(input.model === undefined ? {} : { model: input.model }),
      ...(instructions === undefined ? {} : { instructions: instructionsOf(viewer, instructions) }),
    },
  )
}
