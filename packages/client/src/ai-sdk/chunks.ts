/**
 * What of the Vercel AI SDK's types is spoken here, by shape, so that its package is imported neither at run time nor
 * by the declarations: the same for its current major version and the one before.
 */

export type Chunk =
  | { type: 'start'; messageId?: string }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'reasoning-start'; id: string }
  | { type: 'reasoning-delta'; id: string; delta: string }
  | { type: 'reasoning-end'; id: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; dynamic: true; preliminary?: boolean }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'data-plan'; id: string; data: PlanData }
  | { type: 'error'; errorText: string }
  | { type: 'abort' }
  | { type: 'finish' }

/** The part `data-plan` of a message: the plan of its turn, as it is now. */
export interface PlanData {
  readonly goal: string
  readonly attempt: number
  readonly tasks: readonly PlanTask[]
}

/** A task of that plan; `status` is that of `TaskStatus` in the API, and is PENDING until it begins. */
export interface PlanTask {
  readonly id: string
  readonly type: string
  readonly detail: string
  readonly status: string
}

/** A `UIMessage`, as far as it is read. */
export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

/** A part of a message that may be a text, or a call that its user has decided about. */
export interface MessagePart {
  readonly type: string
  readonly text?: string
  readonly state?: string
  readonly toolCallId?: string
  readonly output?: unknown
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string }
}
