/** The mutation by which an admin erases a user's data, as clients see it. The rules are in src/intake. */
import { ERASED } from '../../../core/text/erased.ts'
import { eraseUser, type UserErased } from '../../../intake/session/erase-user.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { SessionRow } from './session.ts'

const EraseUserInput = builder.inputType('EraseUserInput', {
  description: 'Whose data is to be erased, and where.',
  fields: (t) => ({
    user: t.string({
      required: true,
      description:
        'The name of the user, or the identity on a platform under which a stranger wrote, exactly as Message.user shows it; they need ' +
        'not be known any more.',
    }),
    stranger: t.boolean({
      description:
        "True: it is such an identity, which was no user's when they wrote; false: it is a user. When left out, whichever of the two has " +
        'left something; refused where both have, and nothing is erased.',
    }),
    sessionId: t.id({ required: true, description: 'The session, of a GROUP.' }),
  }),
})

const EraseUserPayload = builder.objectRef<UserErased>('EraseUserPayload').implement({
  description: 'Nothing of what the user said is left in the session.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The session as it is now.'),
    messageCount: t.exposeInt('messageCount', { description: 'How many messages lost their text.' }),
    factIds: t.idList({
      extensions: ALL_STORED,
      description:
        "Facts that were made of what was learned in the user's turns. They are everybody's and stay; invalidate or edit those that tell " +
        'of the user.',
      resolve: ({ factIds }) => [...factIds],
    }),
  }),
})

builder.mutationField('eraseUser', (t) =>
  t.field({
    type: resultUnion('EraseUser', EraseUserPayload),
    authScopes: { admin: true },
    description:
      `Erases what a user said in a group, for good: messages keep their place and have "${ERASED}" as text and sender; so do the plans, ` +
      "tasks, outputs, events, approvals and learnings of the user's turns. The user takes part no longer; summary and working memory " +
      'begin anew; published files are removed. The audit and facts stay, and so does what others said. Refused while a turn of the ' +
      'user is open, or one of others runs.',
    args: { input: t.arg({ type: EraseUserInput, required: true, description: 'Whom, and where.' }) },
    resolve: (_root, { input }, { intake, viewer }) => eraseUser(intake, viewer, input),
  }),
)
