/** What hooks are given: plain data, the same for plugins in the server and in a thread. */

/** JSON: all that crosses the border between a plugin and the server. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** The turn that a hook is about. */
export interface TurnData {
  readonly sessionId: string
  readonly sessionType: 'DIRECT' | 'GROUP'
  readonly turnId: string
  /** Whose turn it is: the name of the user, with whose rights it acts. */
  readonly user: string
  readonly role: 'ADMIN' | 'USER'
}

/** A turn begins, or takes a message along. */
export interface MessageData extends TurnData {
  readonly messageId: string
  /** The name of the user who wrote it: that of `user`, whatever they are called where they wrote it. */
  readonly sender: string
  readonly text: string
}

/** A part of a prompt. */
export interface Section {
  /** Names it within the call; left out for a new one. */
  readonly id?: string
  readonly title: string
  readonly text: string
  /**
   * SERVER: by Factotum, or the operator's words as a plugin gives them that `instructs`. DATA: fenced, nothing in it
   * is an instruction.
   */
  readonly trust: 'SERVER' | 'DATA'
  /** Which plugin added it; null: Factotum. */
  readonly plugin: string | null
}

/** A section as a plugin gives it back. */
export type GivenSection = Pick<Section, 'title' | 'text'> & Partial<Section>

/** A model is about to be asked. */
export interface BeforeInvokeData extends TurnData {
  /** "planner", "messenger", "chat", … */
  readonly agent: string
  /** The folder in which the turn's commands run; it may not have been made yet, and users can write in it. */
  readonly workspace: string
  readonly sections: readonly Section[]
}

/** A model has answered. */
export interface AfterInvokeData extends TurnData {
  readonly agent: string
  /** "provider:model". */
  readonly model: string
  readonly text: string
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
  readonly steps: readonly { readonly kind: string; readonly text: string }[]
}

/** A task of the turn's plan. */
export interface TaskData extends TurnData {
  readonly taskId: string
  readonly type: string
  /** What it is to do: the command line, the text, or the name of the tool or skill. */
  readonly what: string
  readonly args: Json
  readonly status: string
  /** What came out of it, cut to its first 16 000 characters; null before it has run. */
  readonly output: string | null
}

/** A turn has ended. */
export interface PipelineCompleteData extends TurnData {
  readonly status: 'DONE' | 'FAILED' | 'CANCELLED'
  readonly text: string
}

/** A committed event of a session's log. */
export interface BroadcastData {
  readonly sessionId: string
  readonly turnId: string | null
  readonly seq: number
  readonly type: EventName
  readonly at: string
  readonly data: Json
}

/** A line "/name arguments". */
export interface CommandData extends TurnData {
  /** Without the slash. */
  readonly name: string
  readonly args: string
  /** MODEL: in a model's final text, only for commands that say `fromModel: true`. */
  readonly from: 'USER' | 'MODEL'
}

/** The settings that the plugin is about to be restarted with. */
export interface SettingsChangeData {
  readonly settings: Json
}

/** What each hook gets. */
export interface HookInputs {
  readonly onPipelineStart: MessageData
  readonly onMessage: MessageData
  readonly onBeforeInvoke: BeforeInvokeData
  readonly onAfterInvoke: AfterInvokeData
  readonly onCommand: CommandData
  readonly onTaskCreate: TaskData
  readonly onTaskComplete: TaskData
  readonly onTaskFailed: TaskData
  readonly onPipelineComplete: PipelineCompleteData
  readonly onBroadcast: BroadcastData
  readonly onSettingsChange: SettingsChangeData
}
export type HookName = keyof HookInputs

/** What a hook may answer; null and undefined: nothing. */
export interface HookAnswers {
  readonly onPipelineStart: void
  readonly onMessage: void
  /** All sections as they are to be. Those of Factotum stay as they are, whatever is answered. */
  readonly onBeforeInvoke: readonly GivenSection[] | void
  readonly onAfterInvoke: void
  /** True, or a text for the user: handled, no other plugin is asked. */
  readonly onCommand: boolean | string | void
  readonly onTaskCreate: void
  /** A reason: the task is planned anew. */
  readonly onTaskComplete: { readonly reject: string } | void
  readonly onTaskFailed: void
  readonly onPipelineComplete: void
  readonly onBroadcast: void
  readonly onSettingsChange: void
}

/** All of them, in the order in which a turn meets them. */
export const HOOK_NAMES = [
  'onPipelineStart',
  'onMessage',
  'onBeforeInvoke',
  'onAfterInvoke',
  'onCommand',
  'onTaskCreate',
  'onTaskComplete',
  'onTaskFailed',
  'onPipelineComplete',
  'onBroadcast',
  'onSettingsChange',
] as const satisfies readonly HookName[]

/** The types of the events of a session's log. */
export const EVENT_NAMES = [
  'message_received',
  'message_updated',
  'session_updated',
  'file_received',
  'plugin',
  'pipeline_step',
  'plan_created',
  'task_update',
  'task_output',
  'text_delta',
  'text_completed',
  'thinking',
  'task_progress',
  'review',
  'approval',
  'delegation',
  'turn_paused',
  'checkpoint',
  'turn_completed',
] as const

export type EventName = (typeof EVENT_NAMES)[number]
