/** Queries for sessions: one by id, and the list of all that the viewer may see. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { badUserInput } from '../values/bad-user-input.ts'
import { MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { fromFront } from '../paging/connection-type.ts'
import { ConversationTypeEnum, SessionStatusEnum } from '../enums.ts'
import { countSessions, readSessionPage } from './read-session-page.ts'
import { SessionRow } from './session.ts'

const MAX_METADATA_FILTERS = 10

const MetadataFilterInput = builder.inputType('MetadataFilter', {
  description: 'An entry of the metadata of sessions.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key, at the top of the metadata.' }),
    value: t.string({
      required: true,
      description: 'The text there, exactly. Only texts of up to 255 characters are found, no numbers and no objects.',
    }),
  }),
})

const SessionFilterInput = builder.inputType('SessionFilter', {
  description: 'Which sessions to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Only those in one of these states.' }),
    sourceKind: t.stringList({ description: 'Only those from one of these kinds of client, such as "cli".' }),
    conversationType: t.field({ type: ConversationTypeEnum, description: 'Only those of this type.' }),
    participant: t.string({ description: 'Only those in which this user participates.' }),
    search: t.string({
      description: `Only those whose description contains this text, whatever the case, the width and the accents of its letters. At most ${MAX_SEARCH_LENGTH} characters.`,
    }),
    metadata: t.field({
      type: [MetadataFilterInput],
      description: `Only those whose metadata has all of these entries; at most ${MAX_METADATA_FILTERS}.`,
    }),
    includeInactive: t.boolean({
      description: 'INACTIVE ones too. They are left out unless this or "status" asks for them.',
    }),
  }),
})

SessionRow.query('session', {
  description: 'The session with this id; null when there is none that you may see.',
  id: 'Its id, such as "cli:demo".',
})

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionRow.connection,
    authScopes: AUTHENTICATED,
    description: 'The sessions that you may see, newest activity first.',
    args: {
      ...fromFront(t),
      filter: t.arg({
        type: SessionFilterInput,
        description: 'Which of them; all but the INACTIVE ones when left out.',
      }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      if ((filter?.metadata?.length ?? 0) > MAX_METADATA_FILTERS)
        throw badUserInput(`"metadata" must have at most ${MAX_METADATA_FILTERS} entries.`)
      const wanted = { viewer, filter: filter ?? {} }
      const page = await SessionRow.ofKeys(
        { cursor: 'sessions1', args, context, info },
        {
          read: (request) => readSessionPage(database, { ...wanted, request }),
          position: ({ at, id }): [string, string] => [at.toISOString(), id],
        },
      )
      return { ...page, totalCount: () => countSessions(database, wanted) }
    },
  }),
)
