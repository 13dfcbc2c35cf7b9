/** The mutation that requests a checkpoint, as clients see it. The rules are in src/intake. */
import { checkpointSession, type CheckpointRequested } from '../../../intake/session/checkpoint-session.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { SessionRow } from '../session/session.ts'

const CheckpointSessionPayload = builder.objectRef<CheckpointRequested>('CheckpointSessionPayload').implement({
  description: 'The checkpoint is being made. A CheckpointEvent of the session tells how it ended.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.'),
  }),
})

const CheckpointSessionInput = builder.inputType('CheckpointSessionInput', {
  description: 'The session to go over.',
  fields: (t) => ({ sessionId: t.id({ required: true, description: 'The session.' }) }),
})

builder.mutationField('checkpointSession', (t) =>
  t.field({
    type: resultUnion('CheckpointSession', CheckpointSessionPayload),
    authScopes: AUTHENTICATED,
    description:
      'Has the introspector go over what was said in a session since its last checkpoint, beside its turns: it notes what the planner ' +
      'should keep in mind, and what may be worth knowing elsewhere. Refused while one is being made, and when nothing was said.',
    args: { input: t.arg({ type: CheckpointSessionInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input: { sessionId } }, { intake, viewer }) => checkpointSession(intake, viewer, { sessionId }),
  }),
)
