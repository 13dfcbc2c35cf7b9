/** Mutations for messages and the turns they start, as clients see them. The rules are in src/intake. */
import type { FieldRef } from '@pothos/core'
import type { MessageAccepted } from '../../../intake/message/announce-message.ts'
import { appendMessage } from '../../../intake/message/append-message.ts'
import { callTool } from '../../../intake/message/call-tool.ts'
import { cancelTurn, type TurnCancelling } from '../../../intake/message/cancel-turn.ts'
import { editQueuedMessage } from '../../../intake/message/edit-queued-message.ts'
import type { MessageUpdated } from '../../../intake/message/queued-message.ts'
import { retryTurn, type TurnRetried } from '../../../intake/message/retry-turn.ts'
import { sendMessage } from '../../../intake/message/send-message.ts'
import { withdrawMessage } from '../../../intake/message/withdraw-message.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder, type BuilderTypes } from '../builder.ts'
import { MessageRoleEnum, SessionModeEnum } from '../enums.ts'
import { resultUnion } from '../result-union.ts'
import { knownUsers, UserType } from '../people/user.ts'
import { MessageRow } from './message.ts'
import { TurnRow } from '../turn/turn.ts'

const CONTENT = 'The text: 1 byte to 256 KiB, without NUL characters.'
const SENDER =
  'Whom it is from. A connector names the identity on its platform; a token of a user may leave it out. ' +
  'An identity that no user has as an alias is untrusted: its message is stored and starts no turn.'

type AcceptedFields = PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, MessageAccepted>

/** The payload of the two mutations that take a message in. */
function acceptedPayload(
  name: string,
  more: (t: AcceptedFields) => Record<string, FieldRef<BuilderTypes>> = () => ({}),
) {
  return builder.objectRef<MessageAccepted>(name).implement({
    description: 'The message is stored: nothing can lose it any more.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({
      ...more(t),
      message: MessageRow.field(t, ({ messageId }) => messageId, 'The message as it is now.'),
      duplicate: t.exposeBoolean('duplicate', {
        description: "True: it was accepted before; this is the first call's message.",
      }),
    }),
  })
}

const SendMessagePayload = acceptedPayload('SendMessagePayload', (t) => ({
  linkedTo: t.field({
    type: UserType,
    nullable: true,
    description:
      'Whom the sender speaks as from now on, where the message was "/link" with a code (createLinkCode): it is on record without the code ' +
      'and starts no turn. Else null.',
    resolve: ({ linkedUser }, _args, { config }) =>
      linkedUser === undefined ? null : (knownUsers(config.current(), [linkedUser])[0] ?? null),
  }),
}))

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message to the agent, or, in a group, to the others.',
  fields: (t) => ({
    sessionId: t.id({
      required: true,
      description: 'The session; opened if there is none and its id lies in your name space (Viewer.ownNamespace).',
    }),
    content: t.string({ required: true, description: CONTENT }),
    user: t.string({ description: SENDER }),
    mentioned: t.boolean({
      description:
        'It is directed at the agent; false when left out. Counts in a GROUP alone, where a message of a user that is not is ' +
        'stored and starts no turn.',
    }),
    mode: t.field({
      type: SessionModeEnum,
      description: "How its turn works; as the session's mode says when left out.",
    }),
    attachments: t.stringList({
      description:
        'Names of files that were put into the session before, with PUT /files/<session>/<name>; at most 10. The planner is shown their names.',
    }),
    idempotencyKey: t.string({
      description:
        '1 to 255 characters. A second call with it, by the same token in the same session, returns the first message, or a ' +
        'ConflictRefusal (KEY_REUSED) when what it says now, or its user, is another: also when it has been edited since.',
    }),
  }),
})

builder.mutationField('sendMessage', (t) =>
  t.field({
    type: resultUnion('SendMessage', SendMessagePayload),
    authScopes: AUTHENTICATED,
    description:
      'Says something in a session. What is said to the agent waits for its turn; follow the turn with sessionEvents.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input }, { intake, viewer, trace }) => sendMessage(intake, viewer, { ...input, trace }),
  }),
)

const CallToolInput = builder.inputType('CallToolInput', {
  description: 'A tool, and what it is to be called with.',
  fields: (t) => ({
    sessionId: t.id({
      required: true,
      description: 'The session; opened if there is none and its id lies in your name space (Viewer.ownNamespace).',
    }),
    tool: t.string({ required: true, description: 'Its name, as in Query.tools.' }),
    args: t.field({
      type: 'JSON',
      description: 'Its arguments, an object that fits Tool.argsSchema; {} when left out.',
    }),
    user: t.string({
      description:
        'Who calls it. A connector names the identity on its platform, which must be an alias of a user; a token of a user may leave it out.',
    }),
    idempotencyKey: t.string({
      description:
        '1 to 255 characters. A second call with it, by the same token in the same session, returns the first message: the tool is not ' +
        'called again. Keys of sendMessage are others.',
    }),
  }),
})

builder.mutationField('callTool', (t) =>
  t.field({
    type: resultUnion('CallTool', acceptedPayload('CallToolPayload')),
    authScopes: AUTHENTICATED,
    description:
      'Calls a tool, and asks no model. The call is a message, whose turn (mode CHAT) has it as its one task: it waits behind what runs in ' +
      'the session, and approvals, rights, limits and the audit hold as for a call that a model asks for. The turn ends as the call does: ' +
      'FAILED where the tool fails, was denied, or has an unknown outcome. Refuses with NotFoundRefusal a tool that is not there or that ' +
      'the sender may not use, and with InvalidInputRefusal arguments that do not fit its schema.',
    args: { input: t.arg({ type: CallToolInput, required: true, description: 'The call.' }) },
    resolve: (_root, { input }, { intake, viewer, toolCatalog }) =>
      callTool({ ...intake, tools: toolCatalog }, viewer, input),
  }),
)

const AppendMessageInput = builder.inputType('AppendMessageInput', {
  description: 'A message to put on record.',
  fields: (t) => ({
    sessionId: t.id({
      required: true,
      description: 'The session; one that does not exist is opened if its id lies in your own name space.',
    }),
    content: t.string({ required: true, description: CONTENT }),
    user: t.string({ description: SENDER }),
    role: t.field({
      type: MessageRoleEnum,
      description:
        'Who speaks; USER when left out. ASSISTANT and SYSTEM are for admins, and for connectors that leave out "user", in sessions ' +
        'that they opened.',
    }),
    messageId: t.id({
      description:
        "The client's own id of the message, 1 to 255 characters: a second call with it, by the same token in the same session, " +
        'returns the first message, or a ConflictRefusal when content, role or user are others.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'When it was said, from 1970 to now; now when left out. Lists and the log keep the order in which messages came in.',
    }),
  }),
})

builder.mutationField('appendMessage', (t) =>
  t.field({
    type: resultUnion('AppendMessage', acceptedPayload('AppendMessagePayload')),
    authScopes: AUTHENTICATED,
    description: 'Puts a message on record without asking the agent for anything, such as what was said elsewhere.',
    args: { input: t.arg({ type: AppendMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input }, { intake, viewer }) => appendMessage(intake, viewer, input),
  }),
)

/** The payload of the two mutations that change a message that waits. */
function changedPayload(name: string, description: string) {
  return builder.objectRef<MessageUpdated>(name).implement({
    description,
    authScopes: AUTHENTICATED,
    fields: (t) => ({
      message: MessageRow.field(t, ({ messageId }) => messageId, 'The message as it is now.'),
    }),
  })
}

const ACTOR =
  'Who asks for it. A connector names the identity on its platform, which must be an alias of a user: then the rights of that user hold, ' +
  'and the audit names them. When left out, the caller itself.'

const MAY_CHANGE = "The message: your own, one that you brought as a connector, or anybody's if you are an admin."

const EditQueuedMessageInput = builder.inputType('EditQueuedMessageInput', {
  description: 'The message, and what it is to say.',
  fields: (t) => ({
    id: t.id({ required: true, description: MAY_CHANGE }),
    user: t.string({ description: ACTOR }),
    content: t.string({ required: true, description: CONTENT }),
  }),
})

builder.mutationField('editQueuedMessage', (t) =>
  t.field({
    type: resultUnion(
      'EditQueuedMessage',
      changedPayload('EditQueuedMessagePayload', 'The message says something else now.'),
    ),
    authScopes: AUTHENTICATED,
    description: 'Replaces what a message says, as long as its turn has not begun.',
    args: {
      input: t.arg({ type: EditQueuedMessageInput, required: true, description: 'The message, and its new text.' }),
    },
    resolve: (_root, { input }, { intake, viewer }) => editQueuedMessage(intake, viewer, input),
  }),
)

const WithdrawMessageInput = builder.inputType('WithdrawMessageInput', {
  description: 'The message to withdraw.',
  fields: (t) => ({
    id: t.id({ required: true, description: MAY_CHANGE }),
    user: t.string({ description: ACTOR }),
  }),
})

builder.mutationField('withdrawMessage', (t) =>
  t.field({
    type: resultUnion(
      'WithdrawMessage',
      changedPayload('WithdrawMessagePayload', 'The message will not be processed.'),
    ),
    authScopes: AUTHENTICATED,
    description: 'Takes a message out of the queue, as long as its turn has not begun.',
    args: { input: t.arg({ type: WithdrawMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input }, { intake, viewer }) => withdrawMessage(intake, viewer, input),
  }),
)

const CancelTurnPayload = builder.objectRef<TurnCancelling>('CancelTurnPayload').implement({
  description: 'The turn will end within a second or so; its events tell when it has.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    turn: TurnRow.field(t, ({ turnId }) => turnId, 'The turn as it is now.'),
  }),
})

const CancelTurnInput = builder.inputType('CancelTurnInput', {
  description: 'The session whose turn is to end.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'The session.' }),
    turnId: t.id({ description: 'Which turn is meant: when another runs by now, that one is left alone.' }),
    user: t.string({ description: ACTOR }),
  }),
})

builder.mutationField('cancelTurn', (t) =>
  t.field({
    type: resultUnion('CancelTurn', CancelTurnPayload),
    authScopes: AUTHENTICATED,
    description:
      'Stops the turn that runs in a session: its command is ended, its model call aborted. What waits stays.',
    args: { input: t.arg({ type: CancelTurnInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input }, { intake, viewer }) => cancelTurn(intake, viewer, input),
  }),
)

const RetryTurnPayload = builder.objectRef<TurnRetried>('RetryTurnPayload').implement({
  description: 'The second try waits, or has begun: nothing can lose it any more.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    turn: TurnRow.field(t, ({ turnId }) => turnId, 'The second try as it is now; its retryOf is the first.'),
    duplicate: t.exposeBoolean('duplicate', { description: 'True: it had been asked for before.' }),
  }),
})

const RetryTurnInput = builder.inputType('RetryTurnInput', {
  description: 'The turn to try again.',
  fields: (t) => ({
    turnId: t.id({
      required: true,
      description:
        'A turn that is FAILED or CANCELLED, of your own message, one that you brought as a connector, or ' +
        "anybody's if you are an admin.",
    }),
    user: t.string({ description: ACTOR }),
  }),
})

builder.mutationField('retryTurn', (t) =>
  t.field({
    type: resultUnion('RetryTurn', RetryTurnPayload),
    authScopes: AUTHENTICATED,
    description:
      'Asks once more what a turn that failed or was cancelled was asked: as a new message with the same text, attachments and sender, ' +
      'behind what was said since, with a turn of its own. What the first try has done is not undone. On repeat, by any user, the ' +
      'answer is the one second try; should that fail, too, try that one again.',
    args: { input: t.arg({ type: RetryTurnInput, required: true, description: 'Which.' }) },
    resolve: (_root, { input }, { intake, viewer, trace }) => retryTurn(intake, viewer, { ...input, trace }),
  }),
)
