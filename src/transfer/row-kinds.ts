/**
 * What of a session is exported, row by row, and in which order: whatever a row refers to comes before it. From this
 * one description follow the query that exports a table, the check of an imported line, and the statement that imports
 * it.
 *
 * Left out: what would give rights or secrets elsewhere (who opened it, the webhook and its token, remembered
 * approvals), what belongs to all sessions or to the machine (facts, files, the workspace, the audit), and what says
 * who works on it.
 */
import * as z from 'zod'
import { timeZoneIssue } from '../config/schema/time-zone-issue.ts'
import * as enums from '../generated/prisma/enums.ts'
import { shownUrl } from '../store/shown-url.ts'
import { EVENT_DATA } from './event-data.ts'
import { storable, storableObject } from './storable.ts'

export interface Field {
  readonly column: string
  /** PostgreSQL's. */
  readonly type: string
  readonly schema: z.ZodType
  /** It names a row of the session: imported under another id, the session's rows get other ids, too. */
  readonly isId: boolean
  /** SQL in place of the column, of row `r`. */
  readonly select: string
}

export interface RowKind {
  readonly table: string
  /** The column by whose order rows are exported, unique in a session, and what is before its first value. */
  readonly key: { readonly column: string; readonly type: string; readonly before: string | number }
  /** How many are held in memory at once: of rows that may be a megabyte, few. */
  readonly page: number
  readonly fields: Readonly<Record<string, Field>>
}

const field = (column: string, type: string, schema: z.ZodType): Field => {
  return { column, type, schema, isId: false, select: `r.${column}` }
}
const text = (column: string): Field => field(column, 'text', storable)
const id = (column = 'id'): Field => ({ ...text(column), isId: true })
/** Columns are counted on here, and end at 2^31: a session that came near could take no message any more. */
const MOST = 2_000_000_000
const int = (column: string): Field =>
  field(column, 'int', z.int().min(0).max(MOST, `must be at most ${MOST}: no session has come so far`))
const bool = (column: string): Field => field(column, 'boolean', z.boolean())
const time = (column: string): Field => field(column, 'timestamptz', z.iso.datetime({ offset: true }))
const texts = (column: string): Field => field(column, 'text[]', z.array(storable))
const object = (column: string): Field => field(column, 'jsonb', storableObject)
const oneOf = (column: string, type: string, values: Readonly<Record<string, string>>): Field =>
  field(column, type, z.enum(values))
const manyOf = (column: string, type: string, values: Readonly<Record<string, string>>): Field => ({
  ...field(column, `${type}[]`, z.array(z.enum(values))),
  select: `r.${column}::text[]`,
})
const orNull = (of: Field): Field => ({ ...of, schema: of.schema.nullable() })
/** Of lines that were exported before the field was there. */
const orDefault = (of: Field, value: unknown): Field => ({ ...of, schema: of.schema.default(value) })

const TIME_ZONE = z.string().check(({ value, issues }) => {
  const message = timeZoneIssue(value)
  if (message !== null) issues.push({ code: 'custom', message, input: value })
})
const CALL = z.strictObject({ tool: storable, args: storableObject })

const USAGE = {
  modelCalls: int('model_calls'),
  inputTokens: field('input_tokens', 'bigint', z.int().min(0)),
  outputTokens: field('output_tokens', 'bigint', z.int().min(0)),
  cachedTokens: field('cached_tokens', 'bigint', z.int().min(0)),
  cost: orNull(field('cost', 'float8', z.number())),
}
const BY_ID = { column: 'id', type: 'text', before: '' }
const BY_SEQ = { column: 'seq', type: 'bigint', before: -1 }
const MANY = 200
const FEW = 10

export const ROW_KINDS = {
  session: {
    table: 'sessions',
    key: BY_ID,
    page: 1,
    fields: {
      sourceKind: text('source_kind'),
      sourceInteractive: bool('source_interactive'),
      sourcePlatform: orNull(text('source_platform')),
      sourceTriggerId: orNull(text('source_trigger_id')),
      sourceType: oneOf('source_type', 'conversation_type', enums.ConversationType),
      connector: orNull(text('connector')),
      metadata: object('metadata'),
      description: orNull(text('description')),
      descriptionSource: orNull(oneOf('description_source', 'description_source', enums.DescriptionSource)),
      summary: text('summary'),
      summarySeq: int('summary_seq'),
      workingMemory: text('working_memory'),
      checkpointSeq: int('checkpoint_seq'),
      checkpointTurns: int('checkpoint_turns'),
      status: oneOf('status', 'session_status', enums.SessionStatus),
      timeZone: orNull(field('time_zone', 'text', TIME_ZONE)),
      busyPolicy: oneOf('busy_policy', 'busy_policy', enums.BusyPolicy),
      mode: orDefault(oneOf('mode', 'session_mode', enums.SessionMode), 'PLAN'),
      model: orDefault(orNull(text('model')), null),
      instructions: orDefault(orNull(text('instructions')), null),
      messageCount: int('message_count'),
      turnCount: int('turn_count'),
      lastMessagePreview: orNull(text('last_message_preview')),
      lastSeq: int('last_seq'),
      removedSeq: orDefault(int('removed_seq'), 0),
      ...USAGE,
      createdAt: time('created_at'),
      lastActivityAt: time('last_activity_at'),
    },
  },
  participant: {
    table: 'participants',
    key: { column: 'user_name', type: 'text', before: '' },
    page: MANY,
    fields: { userName: text('user_name'), joinedAt: time('joined_at') },
  },
  message: {
    table: 'messages',
    key: BY_SEQ,
    page: FEW,
    fields: {
      id: id(),
      seq: int('seq'),
      role: oneOf('role', 'message_role', enums.MessageRole),
      userName: orNull(text('user_name')),
      content: text('content'),
      trusted: bool('trusted'),
      mentioned: bool('mentioned'),
      status: oneOf('status', 'message_status', enums.MessageStatus),
      client: text('client'),
      idempotencyKey: orNull(text('idempotency_key')),
      createdAt: time('created_at'),
      paraphrase: orNull(text('paraphrase')),
      call: orDefault(orNull(field('call', 'jsonb', CALL)), null),
    },
  },
  turn: {
    table: 'turns',
    key: BY_SEQ,
    page: MANY,
    fields: {
      id: id(),
      seq: int('seq'),
      messageId: id('message_id'),
      userName: text('user_name'),
      mode: orDefault(oneOf('mode', 'session_mode', enums.SessionMode), 'PLAN'),
      status: oneOf('status', 'turn_status', enums.TurnStatus),
      step: orNull(oneOf('step', 'pipeline_step', enums.PipelineStep)),
      failure: orNull(text('failure')),
      failureDetail: orNull(text('failure_detail')),
      joinedIntoId: orNull(id('joined_into')),
      joinedAttempt: orNull(int('joined_attempt')),
      retryOfId: orNull(id('retry_of')),
      takeovers: int('takeovers'),
      commandsHandled: texts('commands_handled'),
      ...USAGE,
      createdAt: time('created_at'),
      startedAt: orNull(time('started_at')),
      finishedAt: orNull(time('finished_at')),
    },
  },
  plan: {
    table: 'plans',
    key: BY_ID,
    page: FEW,
    fields: {
      id: id(),
      turnId: id('turn_id'),
      attempt: int('attempt'),
      goal: text('goal'),
      replanReason: orNull(text('replan_reason')),
      rights: orNull(text('rights')),
      secretNames: texts('secret_names'),
      createdAt: time('created_at'),
    },
  },
  task: {
    table: 'tasks',
    key: BY_ID,
    page: FEW,
    fields: {
      id: id(),
      turnId: id('turn_id'),
      planId: id('plan_id'),
      index: field('"index"', 'int', z.int32().min(0)),
      kind: oneOf('type', 'task_type', enums.TaskType),
      detail: text('detail'),
      skill: orNull(text('skill')),
      args: orNull(object('args')),
      tool: orDefault(orNull(text('tool')), null),
      expect: orNull(text('expect')),
      round: orDefault(orNull(int('round')), null),
      callId: orDefault(orNull(text('call_id')), null),
      status: oneOf('status', 'task_status', enums.TaskStatus),
      output: orNull(text('output')),
      stderr: orNull(text('stderr')),
      truncated: bool('truncated'),
      exitCode: orNull(field('exit_code', 'int', z.int32())),
      final: bool('final'),
      suppressed: bool('suppressed'),
      reviewVerdict: orNull(oneOf('review_verdict', 'review_verdict', enums.ReviewVerdict)),
      reviewReason: orNull(text('review_reason')),
      startedAt: orNull(time('started_at')),
      finishedAt: orNull(time('finished_at')),
    },
  },
  question: {
    table: 'questions',
    key: BY_ID,
    page: MANY,
    fields: {
      id: id(),
      content: text('content'),
      norm: text('norm'),
      source: oneOf('source', 'question_source', enums.QuestionSource),
      status: oneOf('status', 'question_status', enums.QuestionStatus),
      answer: orNull(text('answer')),
      resolvedBy: orNull(text('resolved_by')),
      createdAt: time('created_at'),
      resolvedAt: orNull(time('resolved_at')),
    },
  },
  learning: {
    table: 'learnings',
    key: BY_ID,
    page: MANY,
    fields: {
      id: id(),
      turnId: orNull(id('turn_id')),
      taskId: orNull(id('task_id')),
      userName: orNull(text('user_name')),
      content: text('content'),
      norm: text('norm'),
      status: oneOf('status', 'learning_status', enums.LearningStatus),
      source: orDefault(oneOf('source', 'learning_source', enums.LearningSource), 'REVIEW'),
      held: orDefault(bool('held'), false),
      flags: orDefault(manyOf('flags', 'learning_flag', enums.LearningFlag), []),
      reason: orNull(text('reason')),
      decidedBy: orNull(text('decided_by')),
      decidedAt: orNull(time('decided_at')),
      // A question of all sessions stays behind.
      questionId: {
        ...orNull(id('question_id')),
        select: '(SELECT q.id FROM questions q WHERE q.id = r.question_id AND q.session_id = r.session_id)',
      },
      createdAt: time('created_at'),
    },
  },
  approval: {
    table: 'approvals',
    key: BY_ID,
    page: MANY,
    fields: {
      id: id(),
      turnId: id('turn_id'),
      taskId: id('task_id'),
      userName: text('user_name'),
      kind: oneOf('kind', 'approval_kind', enums.ApprovalKind),
      status: oneOf('status', 'approval_status', enums.ApprovalStatus),
      reason: text('reason'),
      createdAt: time('created_at'),
      expiresAt: time('expires_at'),
      decidedBy: orNull(text('decided_by')),
      decidedAt: orNull(time('decided_at')),
      note: orNull(text('note')),
      scope: orNull(oneOf('scope', 'approval_scope', enums.ApprovalScope)),
    },
  },
  delegation: {
    table: 'delegations',
    key: BY_ID,
    page: FEW,
    fields: {
      id: id(),
      turnId: id('turn_id'),
      taskId: id('task_id'),
      userName: text('user_name'),
      depth: int('depth'),
      share: field('share', 'float8', z.number().gt(0).max(1)),
      tools: texts('tools'),
      strangers: bool('strangers'),
      mode: oneOf('mode', 'session_mode', enums.SessionMode),
      task: text('task'),
      expect: text('expect'),
      status: oneOf('status', 'delegation_status', enums.DelegationStatus),
      round: int('round'),
      feedback: orNull(text('feedback')),
      answer: orNull(text('answer')),
      failure: orNull(text('failure')),
      createdAt: time('created_at'),
      expiresAt: time('expires_at'),
      startedAt: orNull(time('started_at')),
      finishedAt: orNull(time('finished_at')),
    },
  },
  delivery: {
    table: 'deliveries',
    key: BY_SEQ,
    page: MANY,
    fields: {
      id: id(),
      taskId: id('task_id'),
      url: { ...text('url'), select: shownUrl('r.url') },
      final: bool('final'),
      status: oneOf('status', 'delivery_status', enums.DeliveryStatus),
      attempts: int('attempts'),
      lastStatusCode: orNull(int('last_status_code')),
      lastError: orNull(text('last_error')),
      createdAt: time('created_at'),
      deliveredAt: orNull(time('delivered_at')),
    },
  },
  event: {
    table: 'events',
    key: BY_SEQ,
    page: MANY,
    fields: {
      seq: int('seq'),
      at: time('at'),
      turnId: orNull(id('turn_id')),
      event: field('type', 'text', z.enum(Object.keys(EVENT_DATA))),
      data: object('data'),
    },
  },
} as const satisfies Record<string, RowKind>

export type RowName = keyof typeof ROW_KINDS
export const ROW_NAMES = Object.keys(ROW_KINDS) as readonly RowName[]

/** Columns of those tables that are not exported: what is left out (see above), and what an import decides anew. */
export const NOT_EXPORTED: Readonly<Partial<Record<RowName, readonly string[]>>> = {
  session: [
    'id',
    'opened_by',
    'forked_from',
    'forked_seq',
    'webhook',
    'webhook_token',
    'queue_length',
    'ready_at',
    'owner',
    'turn_user',
    'epoch',
    'open_approvals',
    'instructions_by',
    'provider_state',
    'removals',
    'retention_rules',
    'retention_due_at',
  ],
  message: ['attachments', 'trace_parent', 'trace_state'],
  turn: ['cancel_requested', 'paused_at', 'paused_reason', 'evicted_nodes', 'hooks_due', 'plugin_work'],
  question: ['fact_ids'],
  learning: [
    'number',
    'tries',
    'scope',
    'scope_of',
    'fact_id',
    'replaces_fact_id',
    'repeats_fact_id',
    'repeats_learning_id',
    'change_id',
    'similar_fact_ids',
  ],
  approval: ['remembered', 'fingerprint'],
  delegation: ['child_id', 'token_name', 'message_id', 'answered', 'closed'],
  delivery: ['seq', 'token_name', 'next_attempt_at'],
}
