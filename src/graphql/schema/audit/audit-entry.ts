/** The audit as GraphQL types: one per kind of entry, with what is recorded of that kind. For admins alone. */
import type { ObjectRef } from '@pothos/core'
import { addLookup, brand } from '../row.ts'
import { MAX_KEPT_CHARS, readCallTexts, type StoredCallTexts } from '../../../store/turn/model-call-texts.ts'
import { readAuditEntry } from '../../../store/audit-reads.ts'
import type {
  AuditBody,
  AuditKind,
  ConfigChange,
  DenialReason,
  SessionChange,
  StoredAuditEntry,
} from '../../../core/audit-entry.ts'
import { ApprovalScopeEnum, ApprovalStatusEnum } from '../approval/approval-enums.ts'
import type { BuilderTypes } from '../builder.ts'
import { builder } from '../builder.ts'
import { connectionOf, connectionType } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import { DeliveryStatusEnum } from '../message/delivery.ts'
import { ReviewVerdictEnum, TaskStatusEnum, TaskTypeEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { ActorInterface } from '../people/actor.ts'
import { auditActor } from '../people/to-actor.ts'
import { MoneyType } from '../values/money.ts'
import { toShownMs } from '../values/duration-ms.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

const OTHER = {
  description:
    'A newer version of the server recorded it, and this one does not know it; the rest of the entry says more.',
}

/** A value that is not known would fail the whole page; processes of a newer version write to the same audit. */
function knownIn<Name extends string>(values: Values<Name | 'OTHER'>, name: Name): Name | 'OTHER' {
  return Object.hasOwn(values, name) ? name : 'OTHER'
}

const ADMIN = { admin: true } as const

export const AuditKindEnum = builder.enumType('AuditKind', {
  description: 'What an entry of the audit is about; each has a type of its own.',
  values: {
    MODEL_CALL: { description: 'A call of a language model, successful or not.' },
    TASK: { description: 'A task ended.' },
    REVIEW: { description: 'A task was judged.' },
    DELIVERY: { description: 'A text was posted to a webhook, given up, or is to be posted again.' },
    KNOWLEDGE: { description: 'A fact, a learning or a question changed.' },
    ACCESS_DENIED: { description: 'A caller asked for what they may not have.' },
    CONFIG: { description: 'The configuration, secrets or rights changed, or the audit itself did.' },
    SESSION: { description: 'A session was opened, changed or deleted, or its work was.' },
    APPROVAL: { description: 'An approval was asked for, given, denied, or no longer waited for.' },
  } as const satisfies Values<AuditKind>,
})

const CONFIG_CHANGES = {
  RELOADED: { description: 'A change of config.toml was taken over.' },
  REFUSED: { description: 'A change of config.toml breaks a rule; the configuration stays.' },
  SECRETS_RELOADED: { description: 'An admin had the secrets read again.' },
  RIGHTS_CHANGED: { description: "The rights of a turn's user changed between its plan and a task." },
  BUDGET_NEARLY_USED: { description: 'A user has used 80 % of what a budget allows in a day; once for each limit.' },
  BUDGET_USED_UP: { description: 'A user has used all that a budget allows in a day; once for each limit.' },
  AUDIT_REMOVED: { description: 'The oldest entries were removed, as audit_retention_days says.' },
  AUDIT_TAMPERED: { description: 'A seal over the audit was removed or changed.' },
  SCHEDULE_CREATED: { description: 'A schedule was created.' },
  SCHEDULE_UPDATED: { description: 'A schedule was changed.' },
  SCHEDULE_DELETED: { description: 'A schedule was deleted.' },
  SCHEDULE_TRIGGERED: { description: 'A schedule was made to run at once.' },
  SCHEDULE_PAUSED: { description: 'The server took a schedule out of use, because it cannot go on.' },
  USER_CREATED: { description: 'An admin added a user.' },
  USER_UPDATED: { description: 'An admin changed the rights of a user.' },
  USER_REMOVED: { description: 'An admin removed a user, with all tokens and identities.' },
  USER_MERGED: {
    description: 'A user has become another one; the detail names both, earlier entries keep their name.',
  },
  TOKEN_CREATED: { description: 'An admin made a token.' },
  TOKEN_REVOKED: { description: 'An admin revoked a token.' },
  IDENTITY_LINKED: { description: 'A connector knows a user under a further identity.' },
  IDENTITY_UNLINKED: { description: 'A connector knows a user under an identity no longer.' },
  LINK_CODE_CREATED: { description: 'A user was shown a code with which to link a channel.' },
  PLUGIN_FOUND: { description: 'A plugin was found for the first time; it is off until an admin enables it.' },
  PLUGIN_UPDATED: { description: 'An admin changed a plugin; the detail names what.' },
  PLUGIN_RESTARTED: { description: 'An admin had a plugin started again.' },
  LOGIN_LINK_CREATED: { description: 'A link was made that logs in to the console, once.' },
  LOGGED_IN: { description: 'A person logged in to the console; the detail says how.' },
  LOGGED_OUT: { description: 'A person logged out of the console, in one browser or everywhere.' },
  LINK_CODES_GUESSED: { description: 'So many wrong codes came that no more are taken for some minutes.' },
  OTHER,
} as const satisfies Values<ConfigChange | 'OTHER'>
const ConfigChangeEnum = builder.enumType('ConfigChange', {
  description: 'What happened to the configuration.',
  values: CONFIG_CHANGES,
})

const SESSION_CHANGES = {
  OPENED: { description: 'It was opened for the first time.' },
  UPDATED: { description: 'Its description, metadata, webhook, status or participants changed.' },
  DELETED: { description: 'It was deleted.' },
  TURN_CANCELLED: { description: 'The end of its turn was asked for.' },
  TURN_RETRIED: { description: 'A turn was tried again; the detail names that turn.' },
  TURN_PAUSED: { description: 'Its turn waits because a budget is used up.' },
  MESSAGE_EDITED: { description: 'A message that waited was changed.' },
  CHECKPOINT_REQUESTED: {
    description: 'A checkpoint was asked for, or a fresh session started from it; the detail names the reason.',
  },
  MESSAGE_WITHDRAWN: { description: 'A message that waited was withdrawn.' },
  FORKED: { description: 'It was opened as a copy of another; the detail names that one, and up to which event.' },
  EXPORTED: { description: 'An admin took a copy of it over HTTP.' },
  IMPORTED: {
    description: 'It was imported, by an admin over HTTP or by "factotum session import"; the detail names what from.',
  },
  FILE_RECEIVED: { description: 'A person put a file into it; the detail has its id and size.' },
  USER_ERASED: { description: 'What a user had said was erased; the detail names the user.' },
  RETENTION_REMOVED: {
    description: 'What was older than [retention] allows went; the detail says how much of what.',
  },
  OTHER,
} as const satisfies Values<SessionChange | 'OTHER'>
const SessionChangeEnum = builder.enumType('SessionChange', {
  description: 'What happened to a session.',
  values: SESSION_CHANGES,
})

const DENIAL_REASONS = {
  UNKNOWN_TOKEN: {
    description: 'The token is not, or no longer, in the configuration; of "POST /login", the link does not work.',
  },
  FORBIDDEN: {
    description: 'The field, or what was to be done by it to a thing that the caller sees, is not for them.',
  },
  NOT_VISIBLE: { description: 'The thing exists, but not for this caller: it was told that there is none.' },
  OTHER,
} as const satisfies Values<DenialReason | 'OTHER'>
const DenialReasonEnum = builder.enumType('DenialReason', {
  description: 'Why access was denied.',
  values: DENIAL_REASONS,
})

/** Kind of entry → the type that shows it. */
const TYPE_NAMES: Readonly<Record<AuditKind, string>> = {
  MODEL_CALL: 'ModelCallAudit',
  TASK: 'TaskAudit',
  REVIEW: 'ReviewAudit',
  DELIVERY: 'DeliveryAudit',
  KNOWLEDGE: 'KnowledgeAudit',
  ACCESS_DENIED: 'AccessDeniedAudit',
  CONFIG: 'ConfigAudit',
  SESSION: 'SessionAudit',
  APPROVAL: 'ApprovalAudit',
}

export function auditTypeName(entry: StoredAuditEntry): string {
  return TYPE_NAMES[entry.body.kind]
}

export const AuditEntryInterface = builder.interfaceRef<StoredAuditEntry>('AuditEntry').implement({
  description:
    'Who did what, and what it cost. Entries are never changed, and hold no output, prompt, answer or secret; what was said in model ' +
    'calls lies elsewhere for some days. ' +
    '"factotum audit verify" proves that none is missing.',
  interfaces: [NodeInterface],
  resolveType: auditTypeName,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "aud_".' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.field({ type: AuditKindEnum, description: 'What it is about.', resolve: ({ body }) => body.kind }),
    sessionId: t.exposeID('sessionId', {
      nullable: true,
      description: 'The session, which may be deleted by now; null when it was in none.',
    }),
    turnId: t.exposeID('turnId', { nullable: true, description: 'The turn; null when it was in none.' }),
    actor: t.field({
      type: ActorInterface,
      description: 'Who acted, under the name that they had then.',
      resolve: (entry, _args, { config }) => auditActor(config.current(), entry),
    }),
    tokenName: t.exposeString('tokenName', {
      nullable: true,
      description: 'The token with which it was done, or that brought the message; null when there is none.',
    }),
  }),
})

export const AuditEntryConnection = connectionType(AuditEntryInterface, 'newest first')

type EntryOf<Kind extends AuditKind> = Omit<StoredAuditEntry, 'body'> & {
  readonly body: Extract<AuditBody, { kind: Kind }>
}
type Fields<Kind extends AuditKind> = PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, EntryOf<Kind>>

function auditType<Kind extends AuditKind>(
  kind: Kind,
  description: string,
  fields: (t: Fields<Kind>) => ReturnType<Parameters<typeof builder.objectFields>[1]>,
): ObjectRef<BuilderTypes, EntryOf<Kind>> {
  return builder
    .objectRef<EntryOf<Kind>>(TYPE_NAMES[kind])
    .implement({ description, interfaces: [NodeInterface, AuditEntryInterface], authScopes: ADMIN, fields })
}

const ModelCallTextsType = builder.objectRef<StoredCallTexts>('ModelCallTexts').implement({
  description:
    `What was sent to a language model and what it answered, without secrets. Of a text of more than ${MAX_KEPT_CHARS} characters the ` +
    'middle is left out, which it says.',
  authScopes: ADMIN,
  fields: (t) => ({
    system: t.exposeString('system', { description: 'The system prompt: what the role is and has to answer.' }),
    prompt: t.exposeString('prompt', { description: 'What it was asked, with all that it was shown.' }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'What it answered, as it came; null when the call failed.',
    }),
  }),
})

const ModelCallAuditType = auditType('MODEL_CALL', 'A call of a language model.', (t) => ({
  texts: t.field({
    type: ModelCallTextsType,
    nullable: true,
    description:
      'What was said in it. Null when that is not kept: after prompt_retention_days, after an erasure in the session, and when the ' +
      'session was deleted.',
    resolve: async ({ id }, _args, context, info) =>
      (await loadAt({ context, info }, id, (ids) => readCallTexts(context.database, ids))) ?? null,
  }),
  role: t.string({ description: 'What it was asked as, such as "planner".', resolve: ({ body }) => body.role }),
  provider: t.string({ description: 'The provider, as configured.', resolve: ({ body }) => body.provider }),
  model: t.string({ description: 'The model, as the provider calls it.', resolve: ({ body }) => body.model }),
  outcome: t.string({
    description: '"OK", or the code of the error with which it ended.',
    resolve: ({ body }) => body.status,
  }),
  inputTokens: t.field({ type: 'Count', description: 'Tokens read.', resolve: ({ body }) => body.inputTokens }),
  outputTokens: t.field({ type: 'Count', description: 'Tokens written.', resolve: ({ body }) => body.outputTokens }),
  cachedTokens: t.field({
    type: 'Count',
    description: 'The part of inputTokens that the provider took from its cache.',
    resolve: ({ body }) => body.cachedTokens,
  }),
  callMs: t.int({ description: 'Milliseconds that it took.', resolve: ({ body }) => body.durationMs }),
  cost: t.field({
    type: MoneyType,
    nullable: true,
    description: 'By the prices that were configured then; null where none was.',
    resolve: ({ body: { cost } }) => (cost === null ? null : { amount: cost }),
  }),
}))

export type ModelCallEntry = EntryOf<'MODEL_CALL'>
export const ModelCallConnection = connectionOf<ModelCallEntry>(ModelCallAuditType, {
  name: 'ModelCall',
  order: 'newest first',
})

auditType('TASK', 'A task ended.', (t) => ({
  taskId: t.id({ description: 'The task.', resolve: ({ body }) => body.taskId }),
  taskType: t.field({ type: TaskTypeEnum, description: 'What kind of task.', resolve: ({ body }) => body.taskType }),
  detail: t.string({
    description: 'What it was to do, such as the command; without secrets.',
    resolve: ({ body }) => body.detail,
  }),
  taskStatus: t.field({ type: TaskStatusEnum, description: 'How it ended.', resolve: ({ body }) => body.status }),
  durationMs: t.int({
    nullable: true,
    description: 'Milliseconds from begin to end; null when it never began, or began in a process that died.',
    resolve: ({ body }) => (body.durationMs === null ? null : toShownMs(body.durationMs)),
  }),
  outputLength: t.field({
    type: 'Count',
    description: 'Characters that it printed or said.',
    resolve: ({ body }) => body.outputLength,
  }),
  suppressed: t.boolean({
    description: 'The agent chose to say nothing.',
    resolve: ({ body }) => body.suppressed ?? false,
  }),
}))

auditType('REVIEW', 'A task was judged.', (t) => ({
  taskId: t.id({ description: 'The task.', resolve: ({ body }) => body.taskId }),
  verdict: t.field({
    type: ReviewVerdictEnum,
    description: 'Whether the result was good enough.',
    resolve: ({ body }) => body.verdict,
  }),
  hasLearning: t.boolean({ description: 'Something was learned.', resolve: ({ body }) => body.hasLearning }),
}))

auditType('DELIVERY', 'An attempt to post a text to a webhook, or what became of it.', (t) => ({
  deliveryId: t.id({ description: 'The delivery.', resolve: ({ body }) => body.deliveryId }),
  taskId: t.id({ description: 'The task whose text it is.', resolve: ({ body }) => body.taskId }),
  url: t.string({ description: 'Where to; the path is left out.', resolve: ({ body }) => body.url }),
  deliveryStatus: t.field({
    type: DeliveryStatusEnum,
    description: 'How it stood after that.',
    resolve: ({ body }) => body.status,
  }),
  statusCode: t.int({
    nullable: true,
    description: 'The HTTP status; null when there was no answer, or no attempt.',
    resolve: ({ body }) => body.statusCode,
  }),
  attempts: t.int({ description: 'Attempts so far.', resolve: ({ body }) => body.attempts }),
}))

auditType('KNOWLEDGE', 'A fact, a learning or a question changed.', (t) => ({
  subjectId: t.id({ description: 'The fact, learning or question.', resolve: ({ body }) => body.subjectId }),
  knowledgeChange: t.string({
    description: 'What was done to it: a FactChange, or the status that it reached.',
    resolve: ({ body }) => body.change,
  }),
  reason: t.string({ nullable: true, description: 'Why, if that was said.', resolve: ({ body }) => body.reason }),
}))

auditType('ACCESS_DENIED', 'A caller asked for what they may not have.', (t) => ({
  field: t.string({
    description: 'The field that was asked for, such as "Query.audit", or the way in ("http", "websocket").',
    resolve: ({ body }) => body.field,
  }),
  denialReason: t.field({
    type: DenialReasonEnum,
    description: 'Why not.',
    resolve: ({ body }) => knownIn(DENIAL_REASONS, body.reason),
  }),
  count: t.int({
    description: 'How often. The first time in a minute has an entry at once, the rest of the minute a second one.',
    resolve: ({ body }) => body.count,
  }),
}))

auditType('CONFIG', 'The configuration, secrets or rights changed, or the audit itself did.', (t) => ({
  configChange: t.field({
    type: ConfigChangeEnum,
    description: 'What happened.',
    resolve: ({ body }) => knownIn(CONFIG_CHANGES, body.change),
  }),
  configDetail: t.string({
    description: 'Which tokens, users and settings, by name; never their values.',
    resolve: ({ body }) => body.detail,
  }),
}))

auditType('SESSION', 'A session was opened, changed or deleted, or its work was.', (t) => ({
  sessionChange: t.field({
    type: SessionChangeEnum,
    description: 'What happened.',
    resolve: ({ body }) => knownIn(SESSION_CHANGES, body.change),
  }),
  sessionDetail: t.string({
    nullable: true,
    description: 'Which fields, participants or message; null when there is no more to say.',
    resolve: ({ body }) => body.detail,
  }),
}))

auditType('APPROVAL', 'An approval was asked for, given, denied, or no longer waited for.', (t) => ({
  approvalId: t.id({ description: 'The approval.', resolve: ({ body }) => body.approvalId }),
  taskId: t.id({
    description: 'The task, or the first one of the plan with an effect.',
    resolve: ({ body }) => body.taskId,
  }),
  approvalStatus: t.field({
    type: ApprovalStatusEnum,
    description: 'PENDING: it was asked for. Otherwise what came of it.',
    resolve: ({ body }) => body.status,
  }),
  scope: t.field({
    type: ApprovalScopeEnum,
    nullable: true,
    description: 'For how long it holds; null unless it was given.',
    resolve: ({ body }) => body.scope,
  }),
  note: t.string({ nullable: true, description: 'What was said with the decision.', resolve: ({ body }) => body.note }),
  before: t.string({
    nullable: true,
    description:
      'The command, or the arguments as JSON, before they were changed with the decision; null when they were not.',
    resolve: ({ body }) => body.before,
  }),
  after: t.string({
    nullable: true,
    description: 'What they were changed to; null when they were not.',
    resolve: ({ body }) => body.after,
  }),
}))

addLookup('audit', async (id, { viewer, database }) => {
  const entry = viewer.role === 'ADMIN' ? await readAuditEntry(database, id) : null
  return entry === null ? null : brand(auditTypeName(entry), entry)
})
