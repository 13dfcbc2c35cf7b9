/**
 * `openSession`: creates a session, or takes up one that exists. Called by the GraphQL door; repeating it changes
 * nothing. An id outside the caller's name space is only ever taken up, so what is answered about one that they cannot
 * see is the same whether it is in use.
 */
import type { Config } from '../../config/config.ts'
import { mayOpenSession, openerName, ownNamespace } from '../../config/access/session-access.ts'
import type { Viewer } from '../../core/identity.ts'
import { refuseInput, type InputIssue, type Refusal } from '../../core/refusal.ts'
import type { SessionAct } from '../../core/session/session-rights.ts'
import type { BusyPolicy, SessionMode } from '../../core/status.ts'
import { createSession, type NewSession } from '../../store/intake/intake-session.ts'
import { authorizeSession, noSuchSession } from '../authorize-session.ts'
import { hideSecrets } from '../hide-secrets.ts'
import type { IntakeContext } from '../intake-context.ts'
import { openerQuota } from '../../config/schema/quotas.ts'
import { tooManySessions } from './too-many-sessions.ts'
import { participantListIssues } from './participant-rule.ts'
import { announceSessionUpdate, applySessionChange } from './session-change.ts'
import {
  descriptionIssues,
  instructionsIssues,
  instructionsOf,
  modelIssues,
  timeZoneIssues,
} from './session-description.ts'
import { metadataChange, metadataIssues, type MetadataObject } from './session-metadata.ts'
import { refuseWebhook, webhookChange } from './session-webhook.ts'
import { hideLeftSession, leaveSession } from './leave-session.ts'
import { newSessionId, sourceIssues, sourceOf, type SourceInput } from './session-source.ts'

/** What a client opens or takes up, unchecked; a field that is null counts as left out. */
export interface OpenSessionInput {
  /** Chosen by the client, or generated when left out. */
  readonly id?: string | null | undefined
  /** Of the first opening; a later one may name no other type, and is ignored else. */
  readonly source?: SourceInput | null | undefined
  /** A JSON object, merged key by key into what is there; null removes a key. */
  readonly metadata?: unknown
  /** Where the agent's texts are posted. Given when it is opened again, it replaces the one before. */
  readonly webhook?: string | null | undefined
  readonly description?: string | null | undefined
  /** What becomes of a message that arrives while a turn runs; QUEUE when a new session names none. */
  readonly busyPolicy?: BusyPolicy | null | undefined
  /** How its turns work; `default_mode` when a new session names none. */
  readonly mode?: SessionMode | null | undefined
  /** In which its agents are told times; the configuration's when a new session names none. */
  readonly timeZone?: string | null | undefined
  /** "provider:model" that plans and answers in place of the roles'. */
  readonly model?: string | null | undefined
  /** Said to who plans and answers. */
  readonly instructions?: string | null | undefined
  /** Names of users who shall take part, besides the caller who opens it first. */
  readonly participants?: readonly string[] | null | undefined
  /** The session that this one takes the place of: a checkpoint of it is made. */
  readonly previousSessionId?: string | null | undefined
}

/** The session is there and can be used. */
export interface SessionOpened {
  readonly kind: 'Opened'
  readonly sessionId: string
  /** False: it existed and was taken up again. */
  readonly created: boolean
}

/**
 * Refuses with InvalidInput, NotFound, Conflict, or LimitExceeded when the opener's quota is full; then no session was
 * opened or changed, but the checkpoint of `previousSessionId` may be due already.
 */
export async function openSession(
  context: IntakeContext,
  viewer: Viewer,
  input: OpenSessionInput,
): Promise<SessionOpened | Refusal> {
  const opened = await open(context, viewer, input)
  const { previousSessionId } = input
  if (opened.kind === 'Opened' && previousSessionId != null) await hideLeftSession(context, viewer, previousSessionId)
  return opened
}

async function open(context: IntakeContext, viewer: Viewer, input: OpenSessionInput): Promise<SessionOpened | Refusal> {
  const config = context.config.current()
  const refusal = refuseInput(inputIssues(config, input))
  if (refusal !== null) return refusal
  const sessionId = input.id ?? newSessionId(ownNamespace(viewer), input.source?.kind, context.clock.now())
  const access = authorizeSession(viewer, { sessionId, path: ['id'] }, ['SEND'])
  if ('kind' in access) return access
  const webhookRefusal = await refuseWebhook(context, viewer, input.webhook)
  if (webhookRefusal !== null) return webhookRefusal
  const previousRefusal = await leaveSession(context, viewer, { from: input.previousSessionId, to: sessionId })
  if (previousRefusal !== null) return previousRefusal
  const hidden = hideSecrets(context, sessionId, input)
  const session = newSession(context, viewer, { ...hidden, id: sessionId })
  const mayOpen = mayOpenSession(config, viewer, sessionId)
  const quota = { opener: session.openedBy, maxSessions: openerQuota(config, session.openedBy).sessions }
  const creation = { actor: access, session, ...quota }
  const created = mayOpen ? await createSession(context.database, creation) : { kind: 'Exists' as const }
  if (created.kind === 'NoQuota') return tooManySessions(context, quota)
  if (created.kind === 'Exists') {
    const reopened = await reopen(context, viewer, { ...hidden, id: sessionId })
    return reopened.kind === 'NotFound' && !mayOpen ? noSuchSession(viewer, sessionId) : reopened
  }
  announceSessionUpdate(context, { sessionId, seq: created.seq, at: session.at })
  return { kind: 'Opened', sessionId, created: true }
}

function inputIssues(config: Config, input: OpenSessionInput): InputIssue[] {
  return [
    ...(input.source == null ? [] : sourceIssues(input.id ?? null, input.source)),
    ...metadataIssues(input.metadata),
    ...descriptionIssues(input.description),
    ...timeZoneIssues(input.timeZone),
    ...modelIssues(config, input.model),
    ...instructionsIssues(input.instructions),
    ...participantListIssues(config, ['participants'], input.participants),
  ]
}

/** With what the caller gave of it, unchecked. */
export function newSession(
  context: IntakeContext,
  viewer: Viewer,
  input: OpenSessionInput & { readonly id: string },
): NewSession {
  const caller = viewer.user === null ? [] : [viewer.user.name]
  return {
    id: input.id,
    source: sourceOf(input.id, input.source),
    connector: viewer.tokenName,
    openedBy: openerName(viewer),
    metadata: metadataChange(input.metadata as MetadataObject | null | undefined).set,
    webhook: webhookChange(viewer, input.webhook ?? null),
    description: input.description ?? null,
    busyPolicy: input.busyPolicy ?? 'QUEUE',
    mode: input.mode ?? context.config.current().settings.defaultMode,
    timeZone: input.timeZone ?? null,
    model: input.model ?? null,
    instructions: instructionsOf(viewer, input.instructions ?? null),
    participants: [...new Set([...caller, ...(input.participants ?? [])])],
    at: context.clock.now(),
  }
}

/**
 * Who takes part stays as it is, but for those who are named: an admin who only reads is none of them. Who did not open
 * it takes it up as it is.
 */
async function reopen(
  context: IntakeContext,
  viewer: Viewer,
  input: OpenSessionInput & { readonly id: string },
): Promise<SessionOpened | Refusal> {
  const metadata = metadataChange(input.metadata as MetadataObject | null | undefined)
  const updated = await applySessionChange(
    context,
    { viewer, sessionId: input.id, path: ['id'], acts: actsOf(input) },
    {
      setMetadata: metadata.set,
      dropMetadata: metadata.drop,
      ...(input.webhook == null ? {} : { webhook: webhookChange(viewer, input.webhook) }),
      ...(input.description == null ? {} : { description: input.description }),
      ...(input.busyPolicy == null ? {} : { busyPolicy: input.busyPolicy }),
      ...(input.mode == null ? {} : { mode: input.mode }),
      ...(input.timeZone == null ? {} : { timeZone: input.timeZone }),
      ...(input.model == null ? {} : { model: input.model }),
      ...(input.instructions == null ? {} : { instructions: instructionsOf(viewer, input.instructions) }),
      ...(input.source?.type == null ? {} : { ofType: input.source.type }),
      inactive: false,
      join: input.participants ?? [],
    },
  )
  return updated.kind === 'Updated' ? { kind: 'Opened', sessionId: input.id, created: false } : updated
}

/** What opening it again comes to. */
function actsOf({ participants, ...input }: OpenSessionInput): readonly SessionAct[] {
  const { metadata, webhook, description, busyPolicy, mode, timeZone, model, instructions } = input
  const changes = [metadata, webhook, description, busyPolicy, mode, timeZone, model, instructions].some(
    (field) => field != null,
  )
  return [
    'SEND',
    ...(changes ? (['UPDATE'] as const) : []),
    ...(participants?.length ? (['ADD_PARTICIPANT'] as const) : []),
  ]
}
