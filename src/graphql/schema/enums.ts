/**
 * The states and kinds of things, as src/core/status.ts names them. `satisfies` makes a forgotten value a type error.
 */
import type { Role, TokenKind } from '../../core/identity.ts'
import type { OutputStream } from '../../core/session-event.ts'
import type {
  CheckpointReason as CheckpointReasonName,
  BusyPolicy as BusyPolicyName,
  ConversationType as ConversationTypeName,
  DescriptionSource as DescriptionSourceName,
  MessageRole as MessageRoleName,
  MessageStatus as MessageStatusName,
  PipelineStep as PipelineStepName,
  ReviewVerdict as ReviewVerdictName,
  SessionMode as SessionModeName,
  SessionStatus as SessionStatusName,
  TaskStatus as TaskStatusName,
  TaskType as TaskTypeName,
  TurnStatus as TurnStatusName,
} from '../../core/status.ts'
import { builder } from './builder.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

export const RoleEnum = builder.enumType('Role', {
  description: 'What a user may do.',
  values: {
    ADMIN: { description: 'Sees and acts on all sessions; commands run unconfined.' },
    USER: { description: 'Sees the sessions they participate in; commands run in a sandbox.' },
  } as const satisfies Values<Role>,
})

export const TokenKindEnum = builder.enumType('TokenKind', {
  description: 'What a token stands for.',
  values: {
    CONNECTOR: { description: 'A program that acts for many people, such as a chat bridge.' },
    USER: { description: 'One user.' },
  } as const satisfies Values<TokenKind>,
})

export const SessionStatusEnum = builder.enumType('SessionStatus', {
  description: 'What a session is doing.',
  values: {
    IDLE: { description: 'Nothing runs.' },
    RUNNING: { description: 'A turn runs.' },
    AWAITING_APPROVAL: { description: 'A turn waits for approvals; new messages wait behind it.' },
    INACTIVE: {
      description: 'Put aside: hidden from lists that do not ask for it. Opening it or posting makes it IDLE again.',
    },
  } as const satisfies Values<SessionStatusName>,
})

export const ConversationTypeEnum = builder.enumType('ConversationType', {
  description: 'Who talks in a session. It decides which messages start a turn.',
  values: {
    DIRECT: { description: 'One person with the agent: every message of a known user starts a turn.' },
    GROUP: {
      description:
        'Several people with each other, and sometimes with the agent. A user starts a turn by mentioning the agent; an admin ' +
        'always, though the agent may stay silent when it was not mentioned. Such a session cannot be deleted.',
    },
  } as const satisfies Values<ConversationTypeName>,
})

export const DescriptionSourceEnum = builder.enumType('DescriptionSource', {
  description: "Who wrote a session's description.",
  values: {
    CLIENT: { description: 'A client, when it opened or updated the session. The introspector leaves it as it is.' },
    INTROSPECTION: { description: 'The introspector, at a checkpoint.' },
  } as const satisfies Values<DescriptionSourceName>,
})

export const BusyPolicyEnum = builder.enumType('BusyPolicy', {
  description: 'What becomes of a message that arrives while a turn runs. None of them changes what a message may do.',
  values: {
    QUEUE: { description: 'It waits for a turn of its own.' },
    COLLECT: {
      description:
        'It waits. What one person has said by then, by one token, gets one turn together; each message keeps its row.',
    },
    STEER: {
      description:
        'The running turn takes it along before its next task and plans anew, if it is from the user of that turn, by the same token, ' +
        'and in a group directed at the agent; a turn that awaits an approval does so when that is decided. If the turn fails then, the ' +
        'message waits again. Others wait for a turn of their own.',
    },
    INTERRUPT: {
      description:
        "The running turn is cancelled, if it is the sender's own or the sender is an admin, and if in a group the message is directed " +
        'at the agent. Then those that wait run in their order, it being the last.',
    },
  } as const satisfies Values<BusyPolicyName>,
})

export const MessageRoleEnum = builder.enumType('MessageRole', {
  description: 'Who speaks in a message.',
  values: {
    USER: { description: 'A person.' },
    ASSISTANT: { description: 'The agent.' },
    SYSTEM: { description: 'The client or the server itself, such as a notice in the conversation.' },
  } as const satisfies Values<MessageRoleName>,
})

export const MessageStatusEnum = builder.enumType('MessageStatus', {
  description:
    'How far a message has come: QUEUED, PROCESSING, then DONE, FAILED or CANCELLED; or STORED from the start.',
  values: {
    QUEUED: { description: 'Waits for its turn; can be edited and withdrawn.' },
    PROCESSING: { description: 'Its turn runs, or another turn has taken it along.' },
    DONE: { description: 'Its turn ended well.' },
    FAILED: { description: 'Its turn failed; Turn.failure says why.' },
    CANCELLED: { description: 'Withdrawn from the queue, or its turn was cancelled.' },
    STORED: {
      description:
        'Kept for context and never processed: appended, from an unknown sender, or said in a group to another person.',
    },
  } as const satisfies Values<MessageStatusName>,
})

export const TurnStatusEnum = builder.enumType('TurnStatus', {
  description: 'How far a turn has come.',
  values: {
    QUEUED: { description: 'Waits until the turns before it in the session have ended.' },
    JOINED: {
      description:
        'Another turn of its user has taken its message along, see Turn.joinedInto. It ends as that one does; but a message that came ' +
        'while a plan ran waits again when the turn fails.',
    },
    RUNNING: { description: 'Is being processed.' },
    AWAITING_APPROVAL: { description: 'Waits until its approvals are decided, and goes on then. It can be cancelled.' },
    DONE: { description: 'Ended well.' },
    FAILED: { description: 'Ended without an answer; Turn.failure says why.' },
    CANCELLED: { description: 'Was cancelled, or its message was withdrawn.' },
  } as const satisfies Values<TurnStatusName>,
})

export const SessionModeEnum = builder.enumType('SessionMode', {
  description: 'How turns work.',
  values: {
    PLAN: { description: 'A planner makes a plan of tasks; they are run, reviewed, and answered from.' },
    CHAT: { description: 'A model answers, and calls tools until it needs none. Its calls are tasks like any other.' },
  } as const satisfies Values<SessionModeName>,
})

export const TaskTypeEnum = builder.enumType('TaskType', {
  description: 'What a task does.',
  values: {
    EXEC: { description: "Runs a shell command in the session's workspace." },
    MSG: { description: 'Writes a text to the user.' },
    SKILL: { description: 'Runs an installed skill with arguments.' },
    TOOL: { description: 'Calls a tool of a plugin, an MCP server or the server itself.' },
  } as const satisfies Values<TaskTypeName>,
})

export const TaskStatusEnum = builder.enumType('TaskStatus', {
  description: 'How far a task has come.',
  values: {
    PENDING: { description: 'Planned, not begun.' },
    AWAITING_APPROVAL: { description: 'Not begun: a person has to decide whether it may run, see Task.approval.' },
    RUNNING: { description: 'Under way.' },
    DONE: { description: 'Ended well.' },
    FAILED: {
      description:
        'Ended badly: a command that was denied, refused or did not exit with 0, or a text that could not be written.',
    },
    SKIPPED: { description: 'Not run, because a new plan replaced its plan, or the user said more meanwhile.' },
    CANCELLED: { description: 'Not run to the end, because the turn was cancelled or failed.' },
    INTERRUPTED: {
      description:
        'The server died while its command ran, so its outcome is unknown. It is reviewed, never silently run again.',
    },
  } as const satisfies Values<TaskStatusName>,
})

export const ReviewVerdictEnum = builder.enumType('ReviewVerdict', {
  description: 'What the reviewer thinks of a task.',
  values: {
    OK: { description: 'The result is what the plan expected.' },
    REPLAN: { description: 'The result is not good enough: the planner makes a new plan.' },
  } as const satisfies Values<ReviewVerdictName>,
})

export const OutputStreamEnum = builder.enumType('OutputStream', {
  description: 'Where a command printed.',
  values: {
    STDOUT: { description: 'Standard output.' },
    STDERR: { description: 'Standard error.' },
  } as const satisfies Values<OutputStream>,
})

export const PipelineStepEnum = builder.enumType('PipelineStep', {
  description: 'The steps of a turn, in their order. PLANNING to REVIEWING repeat with every new plan.',
  values: {
    RECEIVED: {
      description: 'The turn has begun; once more when it takes other messages along, the detail says how many.',
    },
    PARAPHRASE: { description: 'What strangers wrote is put into other words for the planner.' },
    CONTEXT: { description: 'What the planner needs to know is put together.' },
    PLANNING: { description: 'The planner is asked; the detail names the model.' },
    PLANNED: { description: 'The planner has answered; the detail counts tokens.' },
    VALIDATION: { description: 'The plan is checked; its errors go back to the planner.' },
    EXECUTING: { description: "The plan's tasks run, one after another." },
    REVIEWING: { description: 'The reviewer judges a command that has ended.' },
    REPLANNING: {
      description: 'The reviewer was not content, or the user said more: a new plan is made. The detail says why.',
    },
    ANSWERING: {
      description: 'Mode CHAT: the model answers, once more after each round of calls. The detail names the model.',
    },
    COMMANDS: { description: 'Plugins are asked to handle a line "/name arguments"; the detail is its name.' },
    DELIVERING: { description: 'The answer goes out.' },
    CURATING: { description: 'The curator decides what becomes of learnings.' },
    SUMMARIZING: { description: 'Older messages are summarised.' },
    CONSOLIDATING: { description: 'Facts are tidied up, because there are many.' },
    COMPLETE: { description: 'The turn has ended, well or not. Always the last step.' },
  } as const satisfies Values<PipelineStepName>,
})

export const CheckpointTriggerEnum = builder.enumType('CheckpointTrigger', {
  description: 'Why a checkpoint is made.',
  values: {
    MANUAL: { description: 'It was asked for with checkpointSession.' },
    NEW_SESSION: { description: 'A client started a fresh session from this one: openSession with previousSessionId.' },
    TURN_LIMIT: { description: 'So many turns as the setting introspection_turns says have ended since the last one.' },
    IDLE: { description: 'Nothing has happened for as long as the setting introspection_idle says.' },
  } as const satisfies Values<CheckpointReasonName>,
})
