/** Mutations that open, change and delete sessions, as clients see them. The rules are in src/intake. */
import { addParticipant } from '../../../intake/session/add-participant.ts'
import { deleteSession, type SessionDeleted } from '../../../intake/session/delete-session.ts'
import { openSession, type SessionOpened } from '../../../intake/session/open-session.ts'
import { removeParticipant } from '../../../intake/session/remove-participant.ts'
import type { SessionUpdated } from '../../../intake/session/session-change.ts'
import { updateSession } from '../../../intake/session/update-session.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BusyPolicyEnum, ConversationTypeEnum, SessionModeEnum } from '../enums.ts'
import { resultUnion } from '../result-union.ts'
import { SessionRow } from './session.ts'

const SessionSourceInput = builder.inputType('SessionSourceInput', {
  description: 'Where a session comes from. Only its first opening counts.',
  fields: (t) => ({
    kind: t.string({ required: true, description: 'The kind of client, such as "cli", "web" or "telegram".' }),
    interactive: t.boolean({
      description: 'Whether a person sits at the other end and can be asked; true when left out.',
    }),
    platform: t.string({ description: 'The platform behind the client.' }),
    triggerId: t.string({ description: 'What set the session off.' }),
    type: t.field({ type: ConversationTypeEnum, description: 'Who talks in it; DIRECT when left out.' }),
  }),
})

const OpenSessionInput = builder.inputType('OpenSessionInput', {
  description: 'The session to open, or to take up again.',
  fields: (t) => ({
    id: t.id({
      description:
        '1 to 255 letters, digits and _ @ . : -. A session that does not exist is opened only in your own name space, see ' +
        'Viewer.ownNamespace: "@anna:demo". Generated there when left out: "@anna:web:<random>", "telegram:<date>-<random>".',
    }),
    source: t.field({
      type: SessionSourceInput,
      description:
        'Where it comes from; read from the id when left out. A session stays what it was opened as: given when it is there, ' +
        'this changes nothing, and another type than it has is a ConflictRefusal.',
    }),
    metadata: t.field({
      type: 'JSON',
      description: 'An object of at most 16 KiB, merged key by key into what is there; a key set to null is removed.',
    }),
    webhook: t.string({
      description:
        "Where the agent's texts are posted: an https address (signed by Standard Webhooks; the token needs a webhook_secret). " +
        'Given when the session is opened again, it replaces the one before.',
    }),
    description: t.string({ description: 'A label for people, 1 to 1000 characters; as it is when left out.' }),
    busyPolicy: t.field({
      type: BusyPolicyEnum,
      description: 'What becomes of a message that arrives while a turn runs; as it is when left out, at first QUEUE.',
    }),
    mode: t.field({
      type: SessionModeEnum,
      description: 'How its turns work; as it is when left out, at first the setting default_mode.',
    }),
    timeZone: t.string({
      description:
        'The time zone in which its agents are told times, such as "Europe/Berlin"; as it is when left out, at first that of the configuration.',
    }),
    model: t.string({
      description:
        '"provider:model" that plans and answers here, of a configured provider or a runtime of a plugin; as it is when left out, at first that of [models].',
    }),
    instructions: t.string({
      description: 'What who plans and answers is told besides, 1 to 8000 characters; as they are when left out.',
    }),
    participants: t.stringList({ description: 'Users who take part, besides the user who opens it first.' }),
    previousSessionId: t.id({
      description:
        'The session that is left for this one: what was said there is gone over, see CheckpointTrigger.NEW_SESSION. Unless it still works ' +
        'it becomes INACTIVE.',
    }),
  }),
})

const OpenSessionPayload = builder.objectRef<SessionOpened>('OpenSessionPayload').implement({
  description: 'The session is open.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.'),
    created: t.exposeBoolean('created', { description: 'False: it existed and was taken up again.' }),
  }),
})

builder.mutationField('openSession', (t) =>
  t.field({
    type: resultUnion('OpenSession', OpenSessionPayload),
    authScopes: AUTHENTICATED,
    description:
      'Creates a session, or takes one up again: an INACTIVE one becomes IDLE. Calling it again changes nothing. What is the ' +
      "opener's (see updateSession) is refused with a ConflictRefusal from anybody else. A LimitExceededRefusal: you have opened as many as you may.",
    args: { input: t.arg({ type: OpenSessionInput, required: true, description: 'The session.' }) },
    resolve: (_root, { input }, { intake, viewer }) => openSession(intake, viewer, input),
  }),
)

const UpdateSessionInput = builder.inputType('UpdateSessionInput', {
  description: 'What to change of a session; what is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The session.' }),
    description: t.string({ description: 'A label for people, 1 to 1000 characters; null removes it.' }),
    webhook: t.string({
      description:
        "Where the agent's texts are posted from now on, those included that wait; null: nowhere, and what waits is given up.",
    }),
    metadata: t.field({
      type: 'JSON',
      description: 'An object of at most 16 KiB, merged key by key into what is there; a key set to null is removed.',
    }),
    inactive: t.boolean({ description: 'Whether lists hide it. Only a session without work can be hidden.' }),
    busyPolicy: t.field({
      type: BusyPolicyEnum,
      description: 'What becomes of a message that arrives while a turn runs, from now on.',
    }),
    mode: t.field({
      type: SessionModeEnum,
      description:
        'How its turns work, from the next message on; messages that wait keep the mode that they came with.',
    }),
    timeZone: t.string({
      description:
        "The time zone in which its agents are told times, from its next turn on; null: the configuration's.",
    }),
    model: t.string({
      description:
        '"provider:model" that plans and answers from the next turn on, of a configured provider; null: that of [models].',
    }),
    instructions: t.string({
      description: 'What who plans and answers is told besides, 1 to 8000 characters; null removes them.',
    }),
  }),
})

const UpdateSessionPayload = builder.objectRef<SessionUpdated>('UpdateSessionPayload').implement({
  description: 'The session is changed.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.'),
  }),
})

builder.mutationField('updateSession', (t) =>
  t.field({
    type: resultUnion('UpdateSession', UpdateSessionPayload),
    authScopes: AUTHENTICATED,
    description:
      "Changes a session's description, webhook, metadata, busy policy, time zone, model and instructions, hides it from lists or brings it back. For who opened it " +
      '(Session.openedBy), and admins.',
    args: {
      input: t.arg({ type: UpdateSessionInput, required: true, description: 'The session, and what to change.' }),
    },
    resolve: (_root, { input }, { intake, viewer }) => updateSession(intake, viewer, input),
  }),
)

const DeleteSessionPayload = builder.objectRef<SessionDeleted>('DeleteSessionPayload').implement({
  description: 'The session is gone, with its messages, log and files.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ deletedSessionId: t.exposeID('sessionId', { description: 'The id it had.' }) }),
})

const DeleteSessionInput = builder.inputType('DeleteSessionInput', {
  description: 'The session to delete.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The session.' }) }),
})

builder.mutationField('deleteSession', (t) =>
  t.field({
    type: resultUnion('DeleteSession', DeleteSessionPayload),
    authScopes: AUTHENTICATED,
    description:
      'Deletes a session with all that belongs to it, for good. For who opened it (Session.openedBy), and admins. Refused while a ' +
      'turn runs or waits, and for groups.',
    args: { input: t.arg({ type: DeleteSessionInput, required: true, description: 'The session to delete.' }) },
    resolve: (_root, { input: { id } }, { intake, viewer }) => deleteSession(intake, viewer, { id }),
  }),
)

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function participantResult(name: string) {
  const payload = builder.objectRef<SessionUpdated>(`${name}Payload`).implement({
    description: 'The participants are as asked.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.') }),
  })
  return resultUnion(name, payload)
}

const AddParticipantInput = builder.inputType('AddParticipantInput', {
  description: 'Who is to take part, and where.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'The session.' }),
    user: t.string({ required: true, description: 'The name of the user.' }),
  }),
})

builder.mutationField('addParticipant', (t) =>
  t.field({
    type: participantResult('AddParticipant'),
    authScopes: AUTHENTICATED,
    description: 'Lets a user see the session and post in it. Adding a user twice changes nothing.',
    args: { input: t.arg({ type: AddParticipantInput, required: true, description: 'Whom, and where.' }) },
    resolve: (_root, { input }, { intake, viewer }) => addParticipant(intake, viewer, input),
  }),
)

const RemoveParticipantInput = builder.inputType('RemoveParticipantInput', {
  description: 'Who is to leave, and where.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'The session.' }),
    user: t.string({ required: true, description: 'The name of the user.' }),
  }),
})

builder.mutationField('removeParticipant', (t) =>
  t.field({
    type: participantResult('RemoveParticipant'),
    authScopes: AUTHENTICATED,
    description:
      'Takes a user out of a session: yourself, or anybody if you are an admin or the connector that opened it. What they said ' +
      'stays. Their subscriptions to it end with NOT_FOUND, and a turn of theirs fails at its next task, unless they are an admin.',
    args: { input: t.arg({ type: RemoveParticipantInput, required: true, description: 'Whom, and where.' }) },
    resolve: (_root, { input }, { intake, viewer }) => removeParticipant(intake, viewer, input),
  }),
)
